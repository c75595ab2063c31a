import type { WorkerLimits } from "#lib/platform/run-worker";
import { OpenApiError, readOpenApi } from "#lib/tracking/operations/index";
import type { FileFetch } from "./fetch-context";

/** Returns the fetched file of an OpenAPI document as `readOpenApi` does; a failed fetch, if it is none. Throws WorkerError. */
export async function readDocument(fetched: FileFetch, limits?: WorkerLimits): Promise<FileFetch> {
  if (fetched.kind !== "content") return fetched;
  const { text, httpStatus, responseTimeMs, requestCount } = fetched;
  try {
    return { ...fetched, text: await readOpenApi(text, limits) };
  } catch (error) {
    if (!(error instanceof OpenApiError)) throw error;
    const measures = { httpStatus, responseTimeMs, requestCount, retryAfterMs: null };
    return { kind: "failed", failure: "unreadable", detail: error.message, ...measures };
  }
}
