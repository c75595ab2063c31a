import { z } from "zod";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { parseUrl } from "#lib/platform/parse-url";
import { hourMs } from "#lib/platform/time";
import { ask, type CallOutcome, createBoundedFetch } from "../ask";
import type { Prompt } from "../prompt";
import type { ModelProvider, ModelSettings } from "../provider";

/** Where a provider takes batches, and what says who hands them in. */
type BatchEndpoint = { url: string; headers: Record<string, string> };

/** The provider did not do what it was asked for; the message holds neither texts nor keys. */
export class BatchError extends Error {
  override readonly name = "BatchError";

  /** Of the answer; undefined where there was none of its protocol. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

const requestTimeoutMs = 60_000;
/** Longest results of a batch that are read. */
const maxResultByteSize = 64 * 1_024 * 1_024;
const boundedFetch = createBoundedFetch(maxResultByteSize);

const batchSchema = z.object({
  id: z.string().regex(/^[\w-]{1,200}$/),
  processing_status: z.string(),
  results_url: z.string().nullish(),
});
type ProviderBatch = z.infer<typeof batchSchema>;

const resultSchema = z.object({
  custom_id: z.string(),
  result: z.object({ type: z.string(), message: z.unknown() }),
});
export type BatchResult = z.infer<typeof resultSchema>;

async function send(url: string, init: RequestInit, signal: AbortSignal): Promise<string> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  let response: Response;
  let text: string;
  try {
    response = await boundedFetch(url, { ...init, signal: bounded });
    text = await response.text();
  } catch (cause) {
    throw new BatchError("no answer", { cause });
  }
  if (!response.ok) throw new BatchError(`http ${response.status}`, { status: response.status });
  return text;
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new BatchError("wrong shape");
  }
}

/** A request as the provider takes it alone, under a name of one's own. */
export type BatchRequest = { custom_id: string; params: unknown };

/** Hands in a batch. Throws BatchError. */
export async function createBatch(
  { url, headers }: BatchEndpoint,
  requests: readonly BatchRequest[],
  { betas, signal }: { betas: string | undefined; signal: AbortSignal },
): Promise<ProviderBatch> {
  const init = {
    method: "POST",
    headers: { ...headers, ...(betas && { "anthropic-beta": betas }), "content-type": "application/json" },
    body: JSON.stringify({ requests }),
  };
  return parsed(batchSchema, await send(url, init, signal));
}

/** How a batch stands. Throws BatchError. */
export async function readBatch(
  { url, headers }: BatchEndpoint,
  id: string,
  signal: AbortSignal,
): Promise<ProviderBatch> {
  return parsed(batchSchema, await send(`${url}/${encodeURIComponent(id)}`, { headers }, signal));
}

/** Where the results lie: as the provider says, unless that is elsewhere, for the key goes to its own host alone. */
function resultsUrl(url: string, { id, results_url: given }: ProviderBatch): string {
  const isOwn = given && parseUrl(given)?.origin === new URL(url).origin;
  return isOwn ? given : `${url}/${encodeURIComponent(id)}/results`;
}

/** The results of an ended batch, in any order; lines that are none are left out. Throws BatchError. */
export async function readResults(
  { url, headers }: BatchEndpoint,
  batch: ProviderBatch,
  signal: AbortSignal,
): Promise<BatchResult[]> {
  const text = await send(resultsUrl(url, batch), { headers }, signal);
  return text.split("\n").flatMap((line) => {
    try {
      return [resultSchema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** What handing in and collecting batches takes. */
export type BatchContext = {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  settings: ModelSettings;
  provider: ModelProvider;
  endpoint: BatchEndpoint;
  signal: AbortSignal;
};

/** How long the answers of a batch are waited for; then the rules write. */
export const batchWaitMs = 24 * hourMs;

const callTimeoutMs = 10_000;
const never = new AbortController().signal;

/** A request as it would be sent alone, and the beta features that it names. */
type WrittenRequest = { params: unknown; betas: string | undefined };

/** Lets the SDK write a request, and keeps it instead of sending it. */
export async function writeRequest(provider: ModelProvider, prompt: Prompt): Promise<WrittenRequest> {
  let written: WrittenRequest | undefined;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const betas = new Headers(init?.headers).get("anthropic-beta") ?? undefined;
    written = { params: JSON.parse(String(init?.body)), betas };
    return Response.json({ type: "error", error: { type: "not_sent", message: "kept for a batch" } }, { status: 400 });
  };
  await ask(provider, prompt, { fetch, signal: never, timeoutMs: callTimeoutMs });
  if (!written) throw new Error("The request for a batch could not be written.");
  return written;
}

/** Lets the SDK read a message that came in a batch. */
export async function readMessage(provider: ModelProvider, message: unknown): Promise<CallOutcome> {
  const fetch: typeof globalThis.fetch = async () => Response.json(message);
  return ask(provider, { system: "-", user: "-" }, { fetch, signal: never, timeoutMs: callTimeoutMs });
}
