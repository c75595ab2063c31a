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

/** URL and authentication headers of a provider's batch API. */
type BatchEndpoint = { url: string; headers: Record<string, string> };

/** Thrown if a request to the batch API fails. The message contains no content and no key. */
export class BatchError extends Error {
  override readonly name = "BatchError";

  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

const requestTimeoutMs = 60_000;
/** Largest results of a batch that are read. */
const maxResultByteSize = 64 * 1_024 * 1_024;
const boundedFetch = createBoundedFetch(maxResultByteSize);

const batchSchema = z.object({
  id: z.string().regex(/^[\w-]{1,200}$/),
  processing_status: z.string(),
  results_url: z.string().nullish(),
});
type ProviderBatch = z.infer<typeof batchSchema>;

const resultSchema = z.object({ custom_id: z.string(), result: z.object({ type: z.string(), message: z.unknown() }) });
export type BatchResult = z.infer<typeof resultSchema>;

async function send(url: string, init: RequestInit, signal: AbortSignal): Promise<string> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  let response: Response;
  let text: string;
  try {
    response = await boundedFetch(url, { ...init, signal: bounded });
    text = await response.text();
  } catch (cause) {
    throw new BatchError("no response", { cause });
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

/** A single request of a batch, with a custom id. */
export type BatchRequest = { custom_id: string; params: unknown };

/** Submits a batch. Throws BatchError. */
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

/** Returns the state of a batch. Throws BatchError. */
export async function readBatch(
  { url, headers }: BatchEndpoint,
  id: string,
  signal: AbortSignal,
): Promise<ProviderBatch> {
  return parsed(batchSchema, await send(`${url}/${encodeURIComponent(id)}`, { headers }, signal));
}

/** Returns the URL of the results: as given by the provider if it is on the API's origin, since the key is sent to it. */
function resultsUrl(url: string, { id, results_url: given }: ProviderBatch): string {
  const isOwn = given && parseUrl(given)?.origin === new URL(url).origin;
  return isOwn ? given : `${url}/${encodeURIComponent(id)}/results`;
}

/** Returns the results of an ended batch, in any order, without invalid lines. Throws BatchError. */
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

/** Dependencies of submitting and collecting batches. */
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

/** How long to wait for the results of a batch; afterwards the rules write the reports. */
export const batchWaitMs = 24 * hourMs;

const callTimeoutMs = 10_000;
const never = new AbortController().signal;

/** The body of a single request, and the beta features that it requires. */
type WrittenRequest = { params: unknown; betas: string | undefined };

/** Lets the SDK create a request, and returns it instead of sending it. */
export async function writeRequest(provider: ModelProvider, prompt: Prompt): Promise<WrittenRequest> {
  let written: WrittenRequest | undefined;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const betas = new Headers(init?.headers).get("anthropic-beta") ?? undefined;
    written = { params: JSON.parse(String(init?.body)), betas };
    return Response.json({ type: "error", error: { type: "not_sent", message: "kept for a batch" } }, { status: 400 });
  };
  await ask(provider, prompt, { fetch, signal: never, timeoutMs: callTimeoutMs });
  if (!written) throw new Error("could not create the request of a batch");
  return written;
}

/** Lets the SDK parse a message from the results of a batch. */
export async function readMessage(provider: ModelProvider, message: unknown): Promise<CallOutcome> {
  const fetch: typeof globalThis.fetch = async () => Response.json(message);
  return ask(provider, { system: "-", user: "-" }, { fetch, signal: never, timeoutMs: callTimeoutMs });
}
