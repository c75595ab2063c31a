/** What is left of today's requests; null where nothing limits the key. */
export type Usage = { limit: number; remaining: number; resetsAt: Date } | null;

export type Answer<Data> =
  | { ok: true; data: Data; usage: Usage }
  /** `code` is null where no answer came at all. */
  | { ok: false; code: string | null; message: string; usage: Usage | undefined };

export type Call = { method?: "GET" | "POST" | "DELETE"; body?: unknown };

/** How long an answer may take, in milliseconds: a webhook's receiver has ten seconds of it. */
const timeoutMs = 30_000;

function usageOf(headers: Headers): Usage {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
  ) as [number, number, number];
  return Number.isNaN(limit) ? null : { limit, remaining, resetsAt: new Date(reset * 1_000) };
}

const hints: Record<string, string> = {
  unauthorized: "Check that the key is whole, and not one that was rotated or revoked.",
  rate_limited: "Today's requests are used up. They begin anew at midnight UTC.",
};

async function readBody(answer: Response): Promise<Record<string, unknown>> {
  try {
    return (await answer.json()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/**
 * Asks this site's API with a key, which goes into a header alone. Never throws: what went wrong is said in words.
 * `path` begins at the site's root.
 */
export async function askApi<Data>(
  key: string,
  path: string,
  { method = "GET", body }: Call = {},
): Promise<Answer<Data>> {
  try {
    const answer = await fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...({ credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" } as const),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const data = await readBody(answer);
    if (answer.ok) return { ok: true, data: data as Data, usage: usageOf(answer.headers) };
    const { error = `The service answered ${answer.status}.`, code = "unknown" } = data as Record<string, string>;
    const message = [error, hints[code]].filter(Boolean).join(" ");
    return { ok: false, code, message, usage: code === "rate_limited" ? usageOf(answer.headers) : undefined };
  } catch {
    const message = "No answer came. Check that the site can be reached, and try again.";
    return { ok: false, code: null, message, usage: undefined };
  }
}
