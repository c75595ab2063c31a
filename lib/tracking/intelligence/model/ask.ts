import { setTimeout as wait } from "node:timers/promises";
import type { LanguageModel, LanguageModelUsage } from "ai";
import type { Config } from "#lib/platform/config";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { askedJsonSchema, type ModelAnswer, modelAnswerSchema } from "./answer-schema";
import { maxOutputTokens, type Prompt } from "./prompt";

type SettingName =
  | `ANALYSIS_${"MODEL" | "API_KEY" | "BASE_URL" | "TOKENS_PER_DAY"}`
  | `ANTHROPIC_${"API_KEY" | "BASE_URL"}`;
export type ModelSettings = Pick<Config, SettingName>;

export type ModelProvider = {
  /** As configured, such as `anthropic:<model>`. */
  model: string;
  languageModel: () => Promise<LanguageModel>;
};

/** Returns the configured provider; undefined if there is none, and for operators, which setting is missing. */
export function modelProvider(settings: ModelSettings): ModelProvider | { failure: string } | undefined {
  const { ANALYSIS_MODEL: model, ANALYSIS_BASE_URL: baseURL } = settings;
  if (model === undefined) return undefined;
  const modelId = model.slice(model.indexOf(":") + 1);
  if (!model.startsWith("anthropic:")) {
    if (!baseURL) return { failure: `ANALYSIS_MODEL=${model} needs ANALYSIS_BASE_URL.` };
    const apiKey = settings.ANALYSIS_API_KEY;
    return {
      model,
      languageModel: async () => {
        const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
        const provider = { name: "analysis", baseURL, fetch: boundedFetch, supportsStructuredOutputs: true };
        return createOpenAICompatible({ ...provider, ...(apiKey && { apiKey }) })(modelId);
      },
    };
  }
  const apiKey = settings.ANALYSIS_API_KEY ?? settings.ANTHROPIC_API_KEY;
  if (!apiKey) return { failure: "ANALYSIS_MODEL needs ANALYSIS_API_KEY, or ANTHROPIC_API_KEY." };
  const host = (baseURL ?? settings.ANTHROPIC_BASE_URL).replace(/\/+$/, "").replace(/\/v1$/, "");
  return {
    model,
    languageModel: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL: `${host}/v1`, fetch: boundedFetch })(modelId);
    },
  };
}

const maxAnswerByteSize = 1_024 * 1_024;

/** Fails on responses over a size, and on redirects, so that the key is only sent to the configured host. */
const boundedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "error" });
  if (!response.body) return response;
  let byteSize = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      byteSize += chunk.byteLength;
      if (byteSize <= maxAnswerByteSize) controller.enqueue(chunk);
      else controller.error(new Error(`The response has more than ${maxAnswerByteSize} bytes.`));
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};

/**
 * Outcome of one call, by the state that is stored. `tokens` is what it cost; null if the provider may have counted tokens
 * and did not say how many. `retryAfterMs` is only there if a retry can help.
 */
export type CallOutcome =
  | { state: "answered"; answer: ModelAnswer; tokens: number | null }
  | { state: "unusable" | "unanswered"; failure: string; tokens: number | null; retryAfterMs?: number };

function tokensOf(usage: LanguageModelUsage | undefined): number | null {
  const tokens = usage?.totalTokens ?? 0;
  return Number.isFinite(tokens) && tokens > 0 ? Math.ceil(tokens) : null;
}

const unusable = (failure: string, tokens: number | null = null): CallOutcome => {
  return { state: "unusable", failure, tokens };
};

/** Longest wait that a provider can request before the retry, and the wait if it requests none. */
const [maxRetryWaitMs, defaultRetryWaitMs] = [10_000, 1_000];

async function describeError(error: unknown): Promise<CallOutcome> {
  const { APICallError, JSONParseError, NoObjectGeneratedError, NoOutputGeneratedError, TypeValidationError } =
    await import("ai");
  if (NoObjectGeneratedError.isInstance(error)) return unusable("wrong shape", tokensOf(error.usage));
  if (NoOutputGeneratedError.isInstance(error)) return unusable("unfinished");
  const { statusCode: status = 0, responseHeaders } = APICallError.isInstance(error) ? error : {};
  if (status < 400) {
    const cause = error instanceof Error ? error.cause : undefined;
    const isMalformed = JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause);
    return isMalformed ? unusable("wrong shape") : { state: "unanswered", failure: "connection", tokens: null };
  }
  const failed = { state: "unanswered", failure: `http ${status}`, tokens: 0 } as const;
  if (status !== 429 && status < 500) return failed;
  const waitMs = parseRetryAfter(responseHeaders?.["retry-after"], new Date()) ?? defaultRetryWaitMs;
  return waitMs > maxRetryWaitMs ? failed : { ...failed, retryAfterMs: waitMs };
}

/** Asks a model once. Does not throw for failures of the provider; their descriptions contain no content and no key. */
export async function ask(
  provider: ModelProvider,
  { system, user }: Prompt,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
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
    const { finishReason, output, totalUsage } = await generateText({
      model: await provider.languageModel(),
      output: Output.object({ schema, name: "report" }),
      system,
      prompt: user,
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    const tokens = tokensOf(totalUsage);
    return finishReason === "stop" ? { state: "answered", answer: output, tokens } : unusable("unfinished", tokens);
  } catch (error) {
    if (!signal.aborted && !timeout.aborted) return describeError(error);
    return { state: "unanswered", failure: signal.aborted ? "aborted" : "timed out", tokens: null };
  }
}

export type Sleep = (waitMs: number, signal: AbortSignal) => Promise<unknown>;

export const sleepFor: Sleep = (waitMs, signal) => wait(waitMs, undefined, { signal });

/** Retries a transient failure once, after the requested wait. */
export async function askWithRetry(
  attempt: () => Promise<CallOutcome>,
  { sleep, signal }: { sleep: Sleep; signal: AbortSignal },
): Promise<CallOutcome> {
  const first = await attempt();
  if (first.state === "answered" || first.retryAfterMs === undefined) return first;
  await sleep(first.retryAfterMs, signal).catch(() => undefined);
  return signal.aborted ? first : attempt();
}
