import { setTimeout as wait } from "node:timers/promises";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { askedJsonSchema, type ModelAnswer, modelAnswerSchema } from "./answer-schema";
import { maxOutputTokens, type Prompt } from "./prompt";
import type { ModelProvider } from "./provider";

type Fetch = typeof globalThis.fetch;

/** Statuses of responses without a body. */
const emptyStatuses = [101, 204, 205, 304];

/**
 * Returns a `fetch` for the configured provider that fails on responses over a size, and on redirects, so that the key is
 * only sent to the configured host.
 */
export function createBoundedFetch(maxByteSize: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    const { status, statusText, headers } = response;
    if (!response.body || emptyStatuses.includes(status)) return response;
    let byteSize = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        byteSize += chunk.byteLength;
        if (byteSize > maxByteSize) controller.error(new Error(`The response has more than ${maxByteSize} bytes.`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  };
}

/** Outcome of one call. `tokens` is null if the provider did not report them. */
export type CallOutcome =
  | { kind: "answered"; answer: ModelAnswer; tokens: number | null }
  | { kind: "unusable"; failure: string; tokens: number | null }
  | {
      kind: "failed";
      failure: string;
      /** Whether the provider may have counted tokens nevertheless. */
      mayBeCounted: boolean;
      /** Null if a retry cannot help, otherwise the wait that the provider requested, in milliseconds. */
      retry: { afterMs: number | null } | null;
    };

type Usage = { totalTokens?: number; inputTokens?: number; outputTokens?: number };

function tokensOf(usage: Usage | undefined): number | null {
  const tokens = usage?.totalTokens ?? (usage?.inputTokens ?? Number.NaN) + (usage?.outputTokens ?? Number.NaN);
  return Number.isFinite(tokens) && tokens > 0 ? Math.ceil(tokens) : null;
}

async function describeError(error: unknown): Promise<CallOutcome> {
  const { APICallError, JSONParseError, NoObjectGeneratedError, NoOutputGeneratedError, TypeValidationError } =
    await import("ai");
  if (NoObjectGeneratedError.isInstance(error)) {
    return { kind: "unusable", failure: "wrong shape", tokens: tokensOf(error.usage) };
  }
  if (NoOutputGeneratedError.isInstance(error)) return { kind: "unusable", failure: "unfinished", tokens: null };
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (!APICallError.isInstance(error) || status === undefined || status < 400) {
    const cause = error instanceof Error ? error.cause : undefined;
    const isMalformed = JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause);
    return isMalformed
      ? { kind: "unusable", failure: "wrong shape", tokens: null }
      : { kind: "failed", failure: "connection", mayBeCounted: true, retry: null };
  }
  const isTransient = status === 429 || status >= 500;
  const retry = isTransient ? { afterMs: parseRetryAfter(error.responseHeaders?.["retry-after"], new Date()) } : null;
  return { kind: "failed", failure: `http ${status}`, mayBeCounted: false, retry };
}

/** Asks a model once. Does not throw for failures of the provider; their descriptions contain no content and no key. */
export async function ask(
  provider: ModelProvider,
  { system, user }: Prompt,
  { fetch, signal, timeoutMs }: { fetch: typeof globalThis.fetch; signal: AbortSignal; timeoutMs: number },
): Promise<CallOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const { generateText, jsonSchema, Output } = await import("ai");
  const schema = jsonSchema<ModelAnswer>(askedJsonSchema(), {
    validate: (value) => {
      const { success, data, error } = modelAnswerSchema.safeParse(value);
      return success ? { success, value: data } : { success, error };
    },
  });
  try {
    const result = await generateText({
      model: await provider.languageModel(fetch),
      output: Output.object({ schema, name: "report" }),
      system,
      prompt: user,
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    const tokens = tokensOf(result.totalUsage);
    if (result.finishReason !== "stop") return { kind: "unusable", failure: "unfinished", tokens };
    return { kind: "answered", answer: result.output, tokens };
  } catch (error) {
    const failure = signal.aborted ? "aborted" : timeout.aborted ? "timed out" : undefined;
    return failure ? { kind: "failed", failure, mayBeCounted: true, retry: null } : describeError(error);
  }
}

/** Longest wait that a provider can request before the retry. */
const maxRetryWaitMs = 10_000;
/** Wait if the provider requests none. */
const defaultRetryWaitMs = 1_000;

export type Sleep = (waitMs: number, signal: AbortSignal) => Promise<unknown>;

export const sleepFor: Sleep = (waitMs, signal) => wait(waitMs, undefined, { signal });

/** Retries a transient failure once, after the requested wait if that is not too long. */
export async function askWithRetry(
  attempt: () => Promise<CallOutcome>,
  { sleep, signal }: { sleep: Sleep; signal: AbortSignal },
): Promise<CallOutcome> {
  const first = await attempt();
  if (first.kind !== "failed" || !first.retry) return first;
  const waitMs = first.retry.afterMs ?? defaultRetryWaitMs;
  if (waitMs > maxRetryWaitMs) return first;
  try {
    await sleep(waitMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return first;
  }
  return attempt();
}
