import { createContext, use, useState } from "react";

/** Today's requests; null if the key has no limit. */
export type Usage = { limit: number; remaining: number; resetsAt: Date } | null;

type ApiResult<Data> =
  | { ok: true; data: Data; usage: Usage }
  /** `code` is null if there was no response. */
  | { ok: false; code: string | null; message: string; usage: Usage | undefined };

/** What the endpoint of a verb answers. */
export type AnswerOf<Verb extends (...input: never[]) => Promise<unknown>> = Awaited<ReturnType<Verb>>;

export type ApiRequestOptions = { method?: "GET" | "POST" | "PATCH" | "DELETE"; body?: unknown };

/** Sends a request with the stored key. */
export type SendRequest = <Data>(path: string, options?: ApiRequestOptions) => Promise<ApiResult<Data>>;

/** Timeout in milliseconds; a webhook's receiver can take ten seconds of it. */
const timeoutMs = 30_000;

function readUsage(headers: Headers): Usage {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
  ) as [number, number, number];
  return Number.isNaN(limit) ? null : { limit, remaining, resetsAt: new Date(reset * 1_000) };
}

const hints: Record<string, string> = {
  unauthorized: "Check that the key is complete, and was not rotated or revoked.",
};

/** Returns an error of the API for people, who see the field that it is about. */
function forPeople(error: string): string {
  const text = error.replace(/^Body field "[^"]+": /, "").replace(/^Body field "[^"]+" /, "It ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * Sends a request to this site's API with a key, which is only sent in a header; an empty one is not sent. Never
 * throws: a failure is a result with a message. `path` starts at the site's root.
 */
export async function sendApiRequest<Data>(
  key: string,
  path: string,
  { method = "GET", body }: ApiRequestOptions = {},
): Promise<ApiResult<Data>> {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...({ credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" } as const),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const data: Record<string, string> = await response.json().catch(() => ({}));
    if (response.ok) return { ok: true, data: data as Data, usage: readUsage(response.headers) };
    const { error = `The service returned status ${response.status}.`, code = "unknown" } = data;
    const message = [forPeople(error), hints[code]].filter(Boolean).join(" ");
    return { ok: false, code, message, usage: code === "rate_limited" ? readUsage(response.headers) : undefined };
  } catch {
    const message = "No response. Check that the site can be reached, and try again.";
    return { ok: false, code: null, message, usage: undefined };
  }
}

/** Sends requests with the key of the dashboard. */
export const SendRequestContext = createContext<SendRequest>(() => Promise.reject(new Error("no dashboard")));

/** State of a form or an item whose requests are sent one at a time. */
export function useSubmit() {
  const sendRequest = use(SendRequestContext);
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  /** Sends a request and calls `onDone` with the response's data; a failure becomes `error`, without a response with `doubt`. */
  const submit = async <Data>(
    path: string,
    options: ApiRequestOptions,
    onDone: (data: Data) => void,
    doubt: string | undefined = undefined,
  ) => {
    setIsBusy(true);
    setError(undefined);
    const result = await sendRequest<Data>(path, options);
    setIsBusy(false);
    if (result.ok) onDone(result.data);
    else setError(result.code === null && doubt ? `${result.message} ${doubt}` : result.message);
  };
  return { error, setError, isBusy, submit };
}
