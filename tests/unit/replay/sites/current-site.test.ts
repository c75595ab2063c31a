import { describe, expect, it } from "vitest";
import { currentSite, memberOrigin, sites } from "#lib/contract/sites";

const siteUrls = { legal: "https://law.example", finance: "https://money.example:8443" };
const slugOf = (hostname: string, options = {}) => currentSite(hostname, options).slug;

describe("the current site", () => {
  it("is the one named by the host", () => {
    expect(slugOf("legal.localhost")).toBe("legal");
    expect(slugOf("law.example", { siteUrls })).toBe("legal");
    expect(slugOf("money.example", { siteUrls, siteSlug: "legal" })).toBe("finance");
  });

  it("is otherwise the one named by SITE, else the first", () => {
    expect(slugOf("preview-branch.example", { siteSlug: "finance" })).toBe("finance");
    expect(slugOf("unknown.localhost")).toBe("developer-tools");
    expect(slugOf("127.0.0.1", { siteSlug: "no-such-site" })).toBe("developer-tools");
  });
});

describe("the origin of a member", () => {
  const [first, legal] = sites as unknown as [(typeof sites)[0], (typeof sites)[0]];

  it("is the request's origin for the current site and the configured one for the others", () => {
    expect(memberOrigin(first, first, "https://preview.example", siteUrls)).toBe("https://preview.example");
    expect(memberOrigin(legal, first, "https://preview.example", siteUrls)).toBe("https://law.example");
  });

  it("is <slug>.localhost on a loopback host, and unknown elsewhere unless it is configured", () => {
    expect(memberOrigin(legal, first, "http://127.0.0.1:3001", {})).toBe("http://legal.localhost:3001");
    expect(memberOrigin(legal, first, "http://localhost", {})).toBe("http://legal.localhost");
    expect(memberOrigin(legal, first, "https://preview.example", {})).toBeUndefined();
  });

  it("every vertical has a site, with a unique slug", () => {
    expect(new Set(sites.map(({ slug }) => slug)).size).toBe(sites.length);
    expect(new Set(sites.map(({ vertical }) => vertical)).size).toBe(4);
  });
});
