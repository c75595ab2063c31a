import { describe, expect, inject, it } from "vitest";
import { sites } from "#lib/contract/sites";
import { loadPages, pageMarkdown } from "#lib/discovery/content/index";
import {
  type AgentsJson,
  type AiCatalog,
  agentsJsonSchema,
  aiCatalogSchema,
  registryServerSchema,
  serverCardSchema,
} from "#lib/discovery/documents/schemas";
import { countBundled } from "#tests/support/bundled-cassettes";
import { eventually } from "#tests/support/eventually";
import { revalidate } from "#tests/support/revalidate";
import { ask } from "./follow-links";

const port = () => new URL(inject("baseUrl")).port;
const originOf = (slug: string) => `http://${slug}.localhost:${port()}`;

const types: Readonly<Record<string, string>> = {
  "/llms.txt": "text/plain; charset=utf-8",
  "/llms-full.txt": "text/plain; charset=utf-8",
  "/robots.txt": "text/plain; charset=utf-8",
  "/sitemap.xml": "application/xml; charset=utf-8",
  "/server.json": "application/json; charset=utf-8",
  "/.well-known/agents.json": "application/json; charset=utf-8",
  "/.well-known/mcp/server-card.json": "application/mcp-server-card+json",
  "/.well-known/ai-catalog.json": "application/ai-catalog+json",
  "/.well-known/security.txt": "text/plain; charset=utf-8",
};

describe.each(Object.entries(types))("GET %s", (path, type) => {
  it("has its type, open CORS, an ETag for conditional requests and a HEAD, and a JSON 405 for other methods", async () => {
    const { status, headers, text } = await ask(`${inject("baseUrl")}${path}`);
    expect([status, headers["content-type"], headers["access-control-allow-origin"]]).toEqual([200, type, "*"]);
    expect(text.length).toBeGreaterThan(60);
    const again = await revalidate((condition) => ask(`${inject("baseUrl")}${path}`, { headers: condition }));
    expect([again.status, again.text]).toEqual([304, ""]);
    const head = await ask(`${inject("baseUrl")}${path}`, { method: "HEAD" });
    expect([head.status, head.text, head.headers["content-type"]]).toEqual([200, "", type]);
    const post = await ask(`${inject("baseUrl")}${path}`, { method: "POST" });
    expect([post.status, JSON.parse(post.text).code]).toEqual([405, "method_not_allowed"]);
  });

  it("is the same through the route handler", async () => {
    // Other test files add and remove vendors meanwhile.
    await eventually(async () => {
      const { text } = await ask(`${inject("baseUrl")}${path}`);
      const other = await ask(`${inject("routeUrl")}${path}`);
      expect(other.text.replaceAll(inject("routeUrl"), inject("baseUrl"))).toBe(text);
    });
  });
});

describe.each(sites)("the documents of $slug", ({ slug, display_name, vertical }) => {
  it("match their schemas, with the site's origin and name", async () => {
    const read = async (path: string) => JSON.parse((await ask(`${originOf(slug)}${path}`)).text);
    const agents: AgentsJson = agentsJsonSchema.parse(await read("/.well-known/agents.json"));
    expect([agents.name, agents.url, agents.vertical]).toEqual([display_name, originOf(slug), vertical]);
    const card = serverCardSchema.parse(await read("/.well-known/mcp/server-card.json"));
    const server = registryServerSchema.parse(await read("/server.json"));
    expect([card.title, card.name, server.name]).toEqual([
      display_name,
      `localhost.${slug}/tapedeck`,
      `localhost.${slug}/tapedeck`,
    ]);
  });

  it("list the cassettes of the site's vertical in llms.txt, under the site's name", async () => {
    const { text } = await ask(`${originOf(slug)}/llms.txt`);
    expect(text).toContain(`# ${display_name}\n`);
    const list = /^## Cassettes\n\n([\s\S]*?)\n\n## /m.exec(text)?.[1]?.split("\n") ?? [];
    expect(list).toHaveLength(countBundled(vertical));
    for (const line of list) expect(line).toContain(`](${originOf(slug)}/api/v1/replay/${vertical}/`);
  });

  it("list artifacts with the types that are served", async () => {
    const { text } = await ask(`${originOf(slug)}/.well-known/ai-catalog.json`);
    const { entries }: AiCatalog = aiCatalogSchema.parse(JSON.parse(text));
    for (const { type, url } of entries) {
      const { headers } = await ask(url);
      // A JSON document may be served with its own type or as application/json.
      const served = String(headers["content-type"]).split(";")[0] as string;
      expect([url, type]).toEqual([url, type.endsWith("+json") && served === "application/json" ? type : served]);
    }
  });
});

describe("GET /docs/<page>.md", () => {
  it("returns each page's markdown, also in folders, with an ETag and links to the page and llms.txt", async () => {
    for (const page of await loadPages()) {
      const path = `/docs/${page.slug || "index"}.md`;
      const { status, headers, text } = await ask(`${inject("baseUrl")}${path}`);
      expect([path, status, headers["content-type"]]).toEqual([path, 200, "text/markdown; charset=utf-8"]);
      expect([path, text]).toEqual([path, pageMarkdown(page, { origin: inject("baseUrl") })]);
      expect(headers.link).toContain('</llms.txt>; rel="describedby"');
      expect(headers.link).toContain(`<${page.slug ? `/docs/${page.slug}` : "/docs"}>; rel="canonical"`);
      expect(headers.etag).toMatch(/^"[\w-]+"$/);
    }
  });

  it("is a JSON 404 for an unknown page, whatever its path contains", async () => {
    for (const path of ["/docs/nothing.md", "/docs/decisions/nothing.md", "/docs/..%2f..%2fpackage.md"]) {
      const { status, text } = await ask(`${inject("baseUrl")}${path}`);
      expect([path, status, JSON.parse(text).code]).toEqual([path, 404, "not_found"]);
    }
  });
});

describe("a docs page that was renamed", () => {
  it.each(["/docs/messages", "/docs/messages.md"])("is found under its old name %s", async (path) => {
    const { status, url } = await fetch(`${inject("baseUrl")}${path}`);
    expect([status, new URL(url).pathname]).toEqual([200, path.replace("messages", "drop-in")]);
  });
});
