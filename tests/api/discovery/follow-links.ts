import { type IncomingHttpHeaders, request } from "node:http";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };
type Question = { method?: string; headers?: Record<string, string>; body?: string };

/** Timeout of a request, in milliseconds. */
const answerTimeoutMs = 30_000;

/**
 * Requests a URL of the fleet, whose host names do not resolve: connects to 127.0.0.1 and sends the site in the Host
 * header. A stream is cancelled after its headers.
 */
export function ask(url: string, { method = "GET", headers = {}, body }: Question = {}): Promise<Answer> {
  const { host, port, pathname, search } = new URL(url);
  const options = { host: "127.0.0.1", port, path: `${pathname}${search}`, method, headers: { host, ...headers } };
  return new Promise((settle, reject) => {
    const asked = request({ ...options, agent: false, timeout: answerTimeoutMs }, (response) => {
      const answer = { status: response.statusCode ?? 0, headers: response.headers };
      const isStream = method === "GET" && /event-stream|ndjson/.test(response.headers["content-type"] ?? "");
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

/** Returns the links and images of a markdown text, except in code. */
export function linksOfMarkdown(text: string): string[] {
  return urlsOf(unified().use(remarkParse).use(remarkGfm).parse(text));
}

/** Returns all URLs in a JSON document. */
export function linksOfJson(value: unknown): string[] {
  if (typeof value === "string") return /^https?:\/\//.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(linksOfJson) : [];
}

/** Returns the URLs in `Name: value` lines, as in robots.txt and security.txt. */
export function linksOfFields(text: string): string[] {
  return [...text.matchAll(/^[A-Za-z-]+: (https?:\S+)$/gm)].map(([, url]) => url as string);
}

const unescapeXml = (text: string) => text.replaceAll("&apos;", "'").replaceAll("&amp;", "&");

export function linksOfSitemap(text: string): string[] {
  return [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => unescapeXml(url as string));
}

/** Returns the links of an HTML page as written. */
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

/** Initializes an MCP client at an endpoint; ends the session if it got one. */
async function beginMcp(url: string): Promise<number> {
  const type = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const { status, headers } = await ask(url, { method: "POST", headers: type, body: initialize });
  const session = headers["mcp-session-id"];
  if (typeof session === "string") {
    await ask(url, { method: "DELETE", headers: { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" } });
  }
  return status;
}

/** Expected status by link; 200 for all others. */
const expectedStatuses: Readonly<Record<string, number>> = {
  // Redirects.
  "/api/v1/replay/random": 302,
  // Accepts only POST.
  "/v1/messages": 405,
};
const mcpPaths = ["/api/mcp", "/api/mcp/v2"];

/** Follows a link of the fleet. Returns null if it has the expected status, else an error message. */
export async function follow(link: string): Promise<string | null> {
  const url = new URL(link.replaceAll("{q}", "stream"));
  const expected = expectedStatuses[url.pathname] ?? 200;
  const isMcp = mcpPaths.includes(url.pathname);
  const status = isMcp ? await beginMcp(url.href) : (await ask(url.href)).status;
  return status === expected ? null : `${link} answered ${status}`;
}
