import { asObject, asText, type Json, type Provider } from "./provider";

/**
 * What OpenAI's Chat Completions and Responses have in common. Compatible servers, gateways and Azure have parts of their own
 * in front of the protocol's paths, or leave `/v1` out.
 */

export const modelsPath = /^\/v1\/models(\/[^/]+)?$/;

export const openaiUpstream = {
  baseUrl: "https://api.openai.com",
  baseUrlVariable: "OPENAI_BASE_URL",
  keyVariables: ["OPENAI_API_KEY"],
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  betaHeader: "openai-beta",
} satisfies Partial<Provider["upstream"]>;

type ErrorKind = { type: string; code: string | null };
const errorKinds: Readonly<Record<number, ErrorKind>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  413: { type: "invalid_request_error", code: "request_too_large" },
  429: { type: "requests", code: "rate_limit_exceeded" },
  500: { type: "server_error", code: null },
  503: { type: "server_error", code: "server_overloaded" },
};

/** Whether a value is the error object in an error response. Those of Gemini have a number as their code. */
export function isOpenaiError(error: unknown): boolean {
  const { message, code } = asObject(error);
  return asText(message) !== "" && typeof code !== "number";
}

/** Returns the status that OpenAI's API has for an error object in a stream; a number in `code` is the status itself. */
function statusOf(body: Json): number {
  const { type, code, status, status_code } = asObject(body.error ?? body);
  const given = [code, status, status_code].find((value) => typeof value === "number" && value >= 400 && value <= 599);
  if (typeof given === "number") return given;
  // Azure writes `RateLimitReached`.
  const name = `${asText(type)} ${asText(code)}`.toLowerCase();
  if (/rate_?limit|insufficient_quota|too_?many_?requests/.test(name)) return 429;
  if (/api_key|authentication/.test(name)) return 401;
  return /invalid_request|context_length/.test(name) ? 400 : 500;
}

export const openaiCommon = {
  volatileFields: ["/user", "/safety_identifier", "/prompt_cache_key"],
  choiceFields: ["/model", "/stream", "/stream_options"],
  keptHeaders: [
    "content-type",
    "x-request-id",
    "openai-version",
    "openai-poll-after-ms",
    "openai-processing-ms",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-ratelimit-*",
  ],
  requestIdHeader: "x-request-id",
  formOf: ({ body }) => (body?.stream === true ? "sse" : "whole"),
  errorBody: ({ status, message, code }) => {
    const known = errorKinds[status] ?? { type: status >= 500 ? "server_error" : "invalid_request_error", code: null };
    // A spent quota has a type of its own.
    const type = code === "insufficient_quota" ? code : known.type;
    return { error: { message, type, param: null, code: code ?? known.code } };
  },
  limitHeaders: (resetAt) => ({
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-limit-tokens": "200000",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-remaining-tokens": "150000",
    "x-ratelimit-reset-requests": `${Math.max(0, Math.ceil((resetAt.getTime() - Date.now()) / 1000))}s`,
    "x-ratelimit-reset-tokens": "0s",
  }),
  statusOf,
} satisfies Partial<Provider>;
