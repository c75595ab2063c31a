import { type IncomingHttpHeaders, request } from "node:http";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };
type Question = { method?: string; headers?: Record<string, string>; body?: string };

/** Longest wait for one answer, in milliseconds. */
const answerTimeoutMs = 30_000;

/**
 * Asks a site of the family, whose names no resolver knows: the connection goes to 127.0.0.1 and the Host header says
 * which site is meant. A stream is cut off once its headers have come.
 */
export function ask(url: string, { method = "GET", headers = {}, body }: Question = {}): Promise<Answer> {
  const { host, port, pathname, search } = new URL(url);
  const options = { host: "127.0.0.1", port, path: `${pathname}${search}`, method, headers: { host, ...headers } };
  return new Promise((settle, reject) => {
    const asked = request({ ...options, agent: false, timeout: answerTimeoutMs }, (response) => {
      const answer = { status: response.statusCode ?? 0, headers: response.headers };
      const isStream = method === "GET" && /event-stream/.test(response.headers["content-type"] ?? "");
      if (isStream) {
        response.destroy();
        settle({ ...answer, text: "" });
        return;
      }
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => settle({ ...answer, text: Buffer.concat(parts).toString() }));
      response.on("error", reject);
    });
    asked.on("timeout", () => asked.destroy(new Error(`${url} did not answer`)));
    asked.on("error", reject);
    asked.end(body);
  });
}

type MarkdownNode = { type: string; url?: string; children?: MarkdownNode[] };

function urlsOf({ url, children = [] }: MarkdownNode): string[] {
  return [...(url === undefined ? [] : [url]), ...children.flatMap(urlsOf)];
}

/** Links and pictures of a markdown text; what stands in code is none. */
export function linksOfMarkdown(text: string): string[] {
  return urlsOf(unified().use(remarkParse).use(remarkGfm).parse(text));
}

/** Every address in a JSON document. */
export function linksOfJson(value: unknown): string[] {
  if (typeof value === "string") return /^https?:\/\//.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(linksOfJson) : [];
}

/** Addresses in `Name: value` lines, as robots.txt and security.txt have them. */
export function linksOfFields(text: string): string[] {
  return [...text.matchAll(/^[A-Za-z-]+: (https?:\S+)$/gm)].map(([, url]) => url as string);
}

const unescapeXml = (text: string) => text.replaceAll("&apos;", "'").replaceAll("&amp;", "&");

export function linksOfSitemap(text: string): string[] {
  return [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => unescapeXml(url as string));
}

/** Where the links of a page lead, as it writes them. */
export function linksOfHtml(text: string): string[] {
  return [...text.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, url]) => unescapeXml(url as string));
}

export function idsOfHtml(text: string): Set<string> {
  return new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id as string));
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "links", version: "1" } },
});

/** An MCP endpoint answers where a client can begin there; a session that it got is ended again. */
async function beginMcp(url: string): Promise<number> {
  const type = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const { status, headers } = await ask(url, { method: "POST", headers: type, body: initialize });
  const session = headers["mcp-session-id"];
  if (typeof session === "string") {
    await ask(url, { method: "DELETE", headers: { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" } });
  }
  return status;
}

/** The one status that each kind of link has to have; those that are not named here: 200. */
const expectedStatuses: Readonly<Record<string, number>> = {
  // It sends its visitor on.
  "/api/v1/replay/random": 302,
  // It takes POST alone and says so.
  "/v1/messages": 405,
};
const mcpPaths = ["/api/mcp", "/api/mcp/v2"];

/** Follows one link of the family. Null where it answers as its kind has to, else what is wrong. */
export async function follow(link: string): Promise<string | null> {
  const url = new URL(link.replaceAll("{q}", "stream"));
  const expected = expectedStatuses[url.pathname] ?? 200;
  const isMcp = mcpPaths.includes(url.pathname);
  const status = isMcp ? await beginMcp(url.href) : (await ask(url.href)).status;
  return status === expected ? null : `${link} answered ${status}`;
}
