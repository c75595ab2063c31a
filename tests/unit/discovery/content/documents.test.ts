import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { endpoints } from "#app/endpoints";
import { sites } from "#lib/contract/sites";
import { writeSitemap } from "#lib/discovery/content/sitemap";
import {
  aiCatalog,
  registryServer,
  robotsTxt,
  securityTxt,
  serverCard,
  supportedProtocolVersions,
} from "#lib/discovery/documents/index";

const at = (origin: string, site = sites[0]) => ({ origin, site });
const origin = "https://replay.example.com";

describe("the MCP documents", () => {
  it("name the server by the reversed domain, or localhost for an IP address", () => {
    const nameAt = (where: string) => serverCard(at(where)).name;
    expect(nameAt(origin)).toBe("com.example.replay/tapedeck");
    expect(nameAt("http://legal.localhost:3000")).toBe("localhost.legal/tapedeck");
    expect(nameAt("http://127.0.0.1:3000")).toBe("localhost/tapedeck");
    expect(nameAt("http://[::1]:3000")).toBe("localhost/tapedeck");
  });

  it("list both endpoints, with the protocol versions that the protocol's library supports", () => {
    const { remotes } = serverCard(at(origin));
    expect(remotes.map(({ url }) => url)).toEqual([`${origin}/api/mcp`, `${origin}/api/mcp/v2`]);
    expect(supportedProtocolVersions).toEqual([...supportedProtocolVersions].sort().reverse());
    const legacy = SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision >= "2024-11-05");
    expect(supportedProtocolVersions).toEqual(expect.arrayContaining(legacy));
  });

  it("declare the key as optional, without a default value", () => {
    for (const { headers } of [...serverCard(at(origin)).remotes, ...registryServer(at(origin)).remotes]) {
      expect(headers).toEqual([expect.objectContaining({ name: "Authorization", isRequired: false, isSecret: true })]);
      expect(headers[0]).not.toHaveProperty("value");
    }
  });

  it("list each artifact with a unique identifier, and the card with its media type", () => {
    const { entries } = aiCatalog(at(origin));
    expect(new Set(entries.map(({ identifier }) => identifier)).size).toBe(entries.length);
    expect(entries[0]).toMatchObject({
      identifier: "urn:air:replay.example.com:tapedeck:mcp",
      type: "application/mcp-server-card+json",
      url: `${origin}/.well-known/mcp/server-card.json`,
    });
  });
});

describe("security.txt", () => {
  const clock = { now: () => new Date("2026-11-21T17:04:09.123Z"), monotonicMs: () => 0 };
  const fieldsOf = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/: (.*)/).slice(0, 2));

  it("has each field once, with the operator's contact", () => {
    const text = securityTxt({ origin, clock }, { contact: "mailto:security@example.com" });
    expect(Object.fromEntries(fieldsOf(text))).toEqual({
      Contact: "mailto:security@example.com",
      Expires: "2027-05-20T00:00:00.000Z",
      "Preferred-Languages": "en",
      Canonical: `${origin}/.well-known/security.txt`,
      Policy: `${origin}/docs/security`,
    });
    expect(fieldsOf(text)).toHaveLength(5);
  });

  it("links to the security page without a configured contact", () => {
    expect(securityTxt({ origin, clock }, { contact: undefined })).toContain(`Contact: ${origin}/docs/security\n`);
  });

  it("always expires within a year, and is the same all day", () => {
    for (const day of ["2028-02-29", "2026-12-31", "2027-06-30"]) {
      const textAt = (time: string) =>
        securityTxt(
          { origin, clock: { ...clock, now: () => new Date(`${day}T${time}Z`) } },
          { contact: "mailto:a@b.c" },
        );
      const expires = Date.parse(/^Expires: (.*)$/m.exec(textAt("00:00:00"))?.[1] as string);
      const days = (expires - Date.parse(day)) / 86_400_000;
      expect(days).toBeGreaterThan(90);
      expect(days).toBeLessThan(365);
      expect(textAt("23:59:59")).toBe(textAt("00:00:00"));
    }
  });
});

describe("the files for crawlers", () => {
  it("disallow no endpoint that can be read without a key", () => {
    const closed = [...robotsTxt({ origin }).matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => path as string);
    expect(closed.length).toBeGreaterThan(3);
    const wrong = endpoints.filter(
      // The page of a link in a mail is for whoever got the mail.
      ({ method, auth, path, cacheControl }) =>
        method === "GET" &&
        auth === "none" &&
        cacheControl !== "no-store" &&
        closed.some((prefix) => path.startsWith(prefix)),
    );
    expect(wrong.filter(({ path }) => !path.startsWith("/api/cron/"))).toEqual([]);
  });

  it("link to the site's own sitemap", () => {
    expect(robotsTxt({ origin })).toMatch(/\n\nSitemap: https:\/\/replay\.example\.com\/sitemap\.xml\n$/);
  });

  it("escape reserved XML characters", () => {
    const text = writeSitemap([{ url: `${origin}/a?b=1&c='<d>'`, lastModified: "2026-11-21" }]);
    expect(text).toContain(
      "<loc>https://replay.example.com/a?b=1&amp;c=%27%3Cd%3E%27</loc><lastmod>2026-11-21</lastmod>",
    );
    expect(text.replaceAll(/&(amp|lt|gt|quot|#39);/g, "")).not.toContain("&");
  });

  it("contain at most 50,000 URLs", () => {
    const entries = Array.from({ length: 50_001 }, (_, index) => ({ url: `${origin}/${index}` }));
    expect(writeSitemap(entries).match(/<url>/g)).toHaveLength(50_000);
  });
});
