import type { FileFetch } from "./fetch-context";

/** A file that has kept a smaller share of its lines counts as lost at first. */
const minKeptShare = 1 / 10;
/** Fewest lines of such a file before. */
const minLineCount = 20;
/** Failed fetches in a row after which it is what the vendor serves. */
const confirmingCount = 2;

/**
 * Returns a failed fetch if nearly all lines of a vendor's file are gone, and the file itself once fetches in a row have
 * returned so little: a server in maintenance may answer 200 with a text.
 */
export function confirmLoss(
  fetched: FileFetch,
  { latestLineCount, failureCount }: { latestLineCount: number | null; failureCount: number },
): FileFetch {
  if (fetched.kind !== "content" || failureCount >= confirmingCount) return fetched;
  if (latestLineCount === null || latestLineCount < minLineCount) return fetched;
  const lineCount = fetched.text.trimEnd().split("\n").length;
  if (lineCount >= latestLineCount * minKeptShare) return fetched;
  const { httpStatus, responseTimeMs, requestCount } = fetched;
  return {
    kind: "failed",
    failure: "shrunk",
    detail: `the file has ${lineCount} of ${latestLineCount} lines; it is stored if the next fetches return no more`,
    httpStatus,
    responseTimeMs,
    requestCount,
    retryAfterMs: null,
  };
}
