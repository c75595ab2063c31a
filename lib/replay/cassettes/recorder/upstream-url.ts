import { RecordError } from "./record-error";

/**
 * Returns the URL of a request below a base URL, which may be `host:port`. What ends the base URL and begins the path, such as
 * `/api/v1`, is in it once. Throws RecordError.
 */
export function upstreamUrl(baseUrl: string, { path, query }: { path: string; query: string }): URL {
  try {
    const url = new URL(/^[\w.-]+:\d+(\/|$)/.test(baseUrl) ? `http://${baseUrl}` : baseUrl);
    const prefix = url.pathname.replace(/\/+$/, "");
    const ends = [...prefix.matchAll(/\//g)].map(({ index }) => prefix.slice(index));
    const shared = ends.find((end) => `${path}/`.startsWith(`${end}/`)) ?? "";
    url.pathname = prefix.slice(0, prefix.length - shared.length) + path;
    url.search = query;
    if (url.protocol === "http:" || url.protocol === "https:") return url;
  } catch {
    // Handled below, like every unsupported URL.
  }
  throw new RecordError("connection", `${baseUrl} is not an http(s) URL. Check --base-url.`);
}
