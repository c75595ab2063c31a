import { RecordError } from "./record-error";

/** Returns the URL of a request below a base URL, which may be `host:port`. Throws RecordError. */
export function upstreamUrl(baseUrl: string, { path, query }: { path: string; query: string }): URL {
  try {
    const url = new URL(/^[\w.-]+:\d+(\/|$)/.test(baseUrl) ? `http://${baseUrl}` : baseUrl);
    const prefix = url.pathname.replace(/\/+$/, "");
    const [, first] = path.split("/");
    url.pathname = prefix.endsWith(`/${first}`) ? prefix.slice(0, -1 - (first ?? "").length) + path : prefix + path;
    url.search = query;
    if (url.protocol === "http:" || url.protocol === "https:") return url;
  } catch {
    // Handled below, like every unsupported URL.
  }
  throw new RecordError("connection", `${baseUrl} is not an http(s) URL. Check --base-url.`);
}
