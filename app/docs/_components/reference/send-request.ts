import type { ReferenceParameter } from "#lib/server/openapi/index";

/** An answer as far as it has come. */
export type Received = {
  /** Path and query that were asked for. */
  address: string;
  statusCode: number;
  headers: [name: string, value: string][];
  text: string;
  /** Whether more came than is shown. */
  isCut: boolean;
  /** From the sending to the last byte so far, in milliseconds. */
  elapsedMs: number;
};

export type TryState =
  | { status: "idle" }
  | { status: "running"; received?: Received }
  | { status: "done"; received: Received; wasStopped: boolean }
  | { status: "failed"; message: string };

/** Most characters of a body that are read and shown. */
const maxTextLength = 60_000;
const shownHeaders =
  /^(content-type|cache-control|etag|last-modified|location|retry-after|x-request-id|x-ratelimit-.*|x-replay-.*|x-content-security-score)$/;

/** The address of a call on the page's own origin: nothing that is typed leads anywhere else. */
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

function shown(text: string, type: string, isCut: boolean): string {
  if (isCut || !/\bjson\b/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function* texts(answer: Response): AsyncGenerator<string> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Sends a GET without any credentials, and tells how far the answer has come, until it ends, is long enough or is stopped. */
export async function sendTryRequest(
  address: string,
  signal: AbortSignal,
  show: (state: TryState) => void,
): Promise<void> {
  const startMs = performance.now();
  let received: Received | undefined;
  show({ status: "running" });
  try {
    const answer = await fetch(address, { signal, credentials: "omit", cache: "no-store" });
    const type = answer.headers.get("content-type") ?? "";
    const headers = [...answer.headers].filter(([name]) => shownHeaders.test(name));
    const take = (text: string, isCut: boolean): Received => ({
      ...{ address, statusCode: answer.status, headers, text, isCut },
      elapsedMs: performance.now() - startMs,
    });
    received = take("", false);
    show({ status: "running", received });
    for await (const text of texts(answer)) {
      received = take(received.text + text, false);
      if (received.text.length > maxTextLength) {
        received = take(received.text.slice(0, maxTextLength), true);
        break;
      }
      show({ status: "running", received });
    }
    const last = { ...received, text: shown(received.text, type, received.isCut) };
    show({ status: "done", received: last, wasStopped: false });
  } catch {
    if (signal.aborted && received) return show({ status: "done", received, wasStopped: true });
    const message = signal.aborted ? "Stopped before an answer came." : "No answer came. Is the service reachable?";
    show({ status: "failed", message });
  }
}
