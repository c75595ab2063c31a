import { type ModelReader, ModelSourceError, readModelSource } from "#lib/models/index";
import type { FileFetch } from "./fetch-context";

/** A catalogue that has lost this share of its models, or more, counts as broken. */
const maxLostShare = 1 / 3;

/**
 * Returns the fetched file of a catalogue of models as its text with a line for each model. A failed fetch, if it cannot be
 * read or has lost a third of its models: then nothing that is known of models changes.
 */
export function readModels(reader: ModelReader, fetched: FileFetch, latestCount: number | null): FileFetch {
  if (fetched.kind !== "content") return fetched;
  const { httpStatus, responseTimeMs, requestCount } = fetched;
  const failed = { kind: "failed", httpStatus, responseTimeMs, requestCount, retryAfterMs: null } as const;
  try {
    const text = readModelSource(reader, fetched.text);
    const count = text.split("\n").length - 1;
    if (count > (latestCount ?? 0) * (1 - maxLostShare)) return { ...fetched, text };
    return { ...failed, failure: "shrunk", detail: `the file has ${count} models, and had ${latestCount} before` };
  } catch (error) {
    if (!(error instanceof ModelSourceError)) throw error;
    return { ...failed, failure: "unreadable", detail: error.message };
  }
}
