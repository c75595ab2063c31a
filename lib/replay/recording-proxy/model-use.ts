import * as z from "zod";
import type { Cassette } from "#lib/replay/cassettes/index";
import { type Provider, type TimedChunk, tokensOf } from "#lib/replay/providers/index";
import { readAnsweredModel } from "./answered-model";
import { asksModel, modelOf } from "./recorded-calls";
import type { TapeRequest } from "./tape-request";

const count = z.int().min(0);

export const modelUseSchema = z.object({
  /** Whether the tape answered; else the provider did. */
  isPlayed: z.boolean(),
  /** As the requests name it. */
  model: z.string(),
  /** As the answers name it, where the catalogue does not know that name. */
  answered: z.string().nullable().default(null),
  /** Calls to which the provider answered that it does not have the model. */
  gone: count.default(0),
  /** Empty where a base URL led the requests to the proxy. */
  host: z.string(),
  calls: count,
  /** Calls whose answers report no usage. */
  unmetered: count,
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
});
/** What calls of one model came to. */
export type ModelUse = z.infer<typeof modelUseSchema>;

type Answered = Pick<Cassette, "usage"> & { response: { status: number; headers: Record<string, string> } };

/** Returns what one call came to; null if it asked no model for an answer. */
export function readUse(
  { provider, request }: { provider: Provider; request: TapeRequest },
  { cassette: { usage, response }, chunks }: { cassette: Answered; chunks: readonly TimedChunk[] },
  { isPlayed }: { isPlayed: boolean },
): ModelUse | null {
  const { host = "" } = request;
  const named = modelOf(provider, request);
  const tokens = tokensOf(usage);
  // Of plain HTTP, all that is known is the model; of images and transcriptions, what they report.
  const isKnown = provider.name === "http" || tokens !== null;
  if (!asksModel(provider, request) && (named === null || !isKnown)) return null;
  const { answered, isGone } = readAnsweredModel(
    { provider, model: named, host, path: request.path },
    { ...response, chunks },
  );
  const model = named ?? answered;
  if (model === null) return null;
  const none = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const counts = { calls: 1, unmetered: tokens ? 0 : 1, gone: isGone ? 1 : 0, ...(tokens ?? none) };
  return { isPlayed, model, answered, host, ...counts };
}

/** Returns the uses with those of one model as one. */
export function addUses(uses: readonly ModelUse[]): ModelUse[] {
  const sums = new Map<string, ModelUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.isPlayed, use.model, use.answered, use.host]);
    const sum = sums.get(key);
    const counts = ["calls", "unmetered", "gone", "input", "output", "cache_read", "cache_write"] as const;
    if (!sum) sums.set(key, { ...use });
    else for (const name of counts) sum[name] += use[name];
  }
  return [...sums.values()];
}
