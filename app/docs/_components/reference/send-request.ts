import type { ReferenceParameter } from "#lib/server/openapi/index";

/** A response, as far as it has been received. */
export type Received = {
  /** The requested path and query. */
  url: string;
  statusCode: number;
  headers: [name: string, value: string][];
  text: string;
  /** Whether the body is longer than what is shown. */
  isCut: boolean;
  /** Time from sending the request to the last byte so far, in milliseconds. */
  elapsedMs: number;
};

export type TryState =
  | { status: "idle" }
  | { status: "running"; received?: Received }
  | { status: "done"; received: Received; wasStopped: boolean }
  | { status: "failed"; message: string };

/** Maximum length of a body that is read and shown, in characters. */
const maxTextLength = 60_000;
const shownHeaders =
  /^(content-type|cache-control|etag|last-modified|location|retry-after|x-request-id|x-ratelimit-.*|x-replay-.*|x-content-security-score)$/;

/** Builds the URL of a request. Whatever the user types, it stays on the page's own origin. */
export function buildUrl(
  path: string,
  parameters: readonly Pick<ReferenceParameter, "name" | "place">[],
  values: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, place } of parameters) {
    const value = values[name] ?? "";
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value).replace(/^\.+$/, "%2E"));
    else if (value !== "") query.append(name, value);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

function formatBody(text: string, type: string, isCut: boolean): string {
  if (isCut || !/\bjson\b/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function* readText(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Sends a GET request without credentials, and reports progress until the response ends, is too long, or is stopped. */
export async function sendTryRequest(
  url: string,
  signal: AbortSignal,
  onState: (state: TryState) => void,
): Promise<void> {
  const startMs = performance.now();
  let received: Received | undefined;
  onState({ status: "running" });
  try {
    const response = await fetch(url, { signal, credentials: "omit", cache: "no-store" });
    const type = response.headers.get("content-type") ?? "";
    const headers = [...response.headers].filter(([name]) => shownHeaders.test(name));
    const snapshot = (text: string, isCut: boolean): Received => ({
      url,
      statusCode: response.status,
      headers,
      text,
      isCut,
      elapsedMs: performance.now() - startMs,
    });
    received = snapshot("", false);
    onState({ status: "running", received });
    for await (const text of readText(response)) {
      received = snapshot(received.text + text, false);
      if (received.text.length > maxTextLength) {
        received = snapshot(received.text.slice(0, maxTextLength), true);
        break;
      }
      onState({ status: "running", received });
    }
    const last = { ...received, text: formatBody(received.text, type, received.isCut) };
    onState({ status: "done", received: last, wasStopped: false });
  } catch {
    if (signal.aborted && received) return onState({ status: "done", received, wasStopped: true });
    const message = signal.aborted
      ? "Stopped before a response arrived."
      : "No response. Check that the service can be reached.";
    onState({ status: "failed", message });
  }
}
