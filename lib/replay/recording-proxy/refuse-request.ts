import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isPreflight } from "./allow-page";
import { configFileName, originSchema } from "./config";

/** Header with the token of a run, which only its own tests know. */
export const tokenHeader = "x-tapedeck-token";

/** A request that the proxy does not answer, and why. */
export type Refusal = { status: number; error: string };

const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Returns why a request is refused that may come from a web page: one that guessed the port, and perhaps renamed its host.
 * Pages of the given origins are answered.
 */
export function refusePage(request: IncomingMessage, origins: readonly string[]): Refusal | undefined {
  const { origin, host, "sec-fetch-site": site = "none" } = request.headers;
  if (!loopbackHost.test(host ?? "")) return { status: 403, error: "The proxy answers programs on this machine only." };
  if (origin !== undefined && origins.includes(origin)) return undefined;
  const isForeign = !loopbackHost.test((origin ?? "localhost").replace(/^https?:\/\//, ""));
  // Images and other requests of pages have no origin; browsers say all the same where they come from.
  if (!isForeign && !isPreflight(request) && (site === "none" || site === "same-origin")) return undefined;
  const asked = isPreflight(request) ? "a CORS preflight" : `sec-fetch-site: ${site}`;
  const sign = isForeign ? `origin: ${origin}` : asked;
  const named = originSchema.safeParse(origin).data;
  const advice = `Let the page call a server of your app, and that server the proxy; or permit the page: add ${named ? `"${named}"` : "its origin"} to "origins" in ${configFileName}.`;
  return { status: 403, error: `The proxy answers programs, not web pages (${sign}). ${advice}` };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Whether a part of a path leads out of it, or may do so at a server that decodes it again. */
function leadsOut(segment: string): boolean {
  for (let text = segment, depth = 0; depth < 4; depth += 1) {
    if (text.includes("\\") || text.split("/").some((part) => part === "." || part === "..")) return true;
    const decoded = decode(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/** Returns why a path for an upstream is refused: it must stay below the base URL. */
export function refusePath(segments: readonly string[]): Refusal | undefined {
  if (!segments.some(leadsOut)) return undefined;
  return { status: 400, error: 'The path has a part "." or "..", or a backslash. Send the path as the server has it.' };
}

/** Returns why a request to control the proxy is refused: it needs the token of the run. */
export function refuseControl(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  token: string,
): Refusal | undefined {
  if (method !== "POST") return { status: 405, error: "Control the proxy with POST." };
  const [sent, own] = [Buffer.from(String(headers[tokenHeader] ?? "")), Buffer.from(token)];
  if (sent.length === own.length && timingSafeEqual(sent, own)) return undefined;
  return { status: 403, error: `Send the run's token, that of TAPEDECK_TOKEN, in the header ${tokenHeader}.` };
}
