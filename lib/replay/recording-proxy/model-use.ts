import * as z from "zod";
import type { Cassette } from "#lib/replay/cassettes/index";
import { type Provider, tokensOf } from "#lib/replay/providers/index";
import { modelOf } from "./recorded-calls";
import type { TapeRequest } from "./tape-request";

const count = z.int().min(0);

export const modelUseSchema = z.object({
  /** Whether the tape answered; else the provider did. */
  isPlayed: z.boolean(),
  /** As the requests name it. */
  model: z.string(),
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

/** Returns what one call came to; null if it asked no model for an answer. */
export function readUse(
  { provider, request }: { provider: Provider; request: TapeRequest },
  { usage }: Pick<Cassette, "usage">,
  { isPlayed }: { isPlayed: boolean },
): ModelUse | null {
  const model = modelOf(provider, request);
  const operation = provider.operationOf(request);
  // Of plain HTTP, all that is known is the model.
  const isAnswer = operation === "generate" || operation === "embeddings" || provider.name === "http";
  if (model === null || !isAnswer) return null;
  const tokens = tokensOf(usage);
  const { host = "" } = request;
  const none = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  return { isPlayed, model, host, calls: 1, unmetered: tokens ? 0 : 1, ...(tokens ?? none) };
}

/** Returns the uses with those of one model as one. */
export function addUses(uses: readonly ModelUse[]): ModelUse[] {
  const sums = new Map<string, ModelUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.isPlayed, use.model, use.host]);
    const sum = sums.get(key);
    const counts = ["calls", "unmetered", "input", "output", "cache_read", "cache_write"] as const;
    if (!sum) sums.set(key, { ...use });
    else for (const name of counts) sum[name] += use[name];
  }
  return [...sums.values()];
}
