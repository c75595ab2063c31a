import { parseBody } from "#lib/contract/parse-body";
import { AppError, type ErrorCode } from "#lib/platform/errors";
import { minWorkerLength, runInWorker, WorkerError } from "#lib/platform/run-worker";
import {
  hashForMatch,
  type Lineage,
  lineageOf,
  type MatchKey,
  matchKeyOf,
  objectOf,
  type RequestBody,
  redact,
} from "#lib/replay/cassettes/index";
import { type AnswerForm, type Provider, type ProviderRequest, requireProvider } from "#lib/replay/providers/index";
import { dropInEndpoints } from "./drop-in-endpoints";

const entry = { name: "request-worker", moduleUrl: import.meta.url };
const limits = { timeoutMs: 60_000, maxHeapMib: 1024 };
/** Longest part of a prompt that similar prompts are searched for, in characters. */
export const maxPromptLength = 20_000;

/** What choosing a cassette needs to know of a request. */
export type DropInRequest = {
  key: MatchKey;
  /** Where the request stands in its conversation. */
  lineage: () => Lineage;
  /** Hash of the request as the recorder would have stored it: with its secrets masked. */
  redactedHash: () => string;
  /** Text of the last user message; only the start of a long one. */
  prompt: string;
  /** The form that an answer has to have; null for that of the recording. */
  form: AnswerForm | null;
  /** To count tokens: number of characters of what the model reads, as JSON. Else 0. */
  inputLength: number;
  query: string;
};

export type RequestSource = {
  endpointId: string;
  provider: string;
  path: string;
  query: string;
  bytes: Uint8Array;
  contentType: string | null;
};

/** Fields with what the model reads, of Anthropic and of Gemini. */
const readFields = ["messages", "system", "tools", "contents", "systemInstruction", "generateContentRequest"];

/** Returns what is needed of a request whose body is parsed. */
export function digestRequest(
  provider: Provider,
  request: ProviderRequest,
  storedBody: RequestBody = request.body && { json: request.body },
): DropInRequest {
  const { body, query } = request;
  const stored = { ...request, body: storedBody };
  const key = matchKeyOf(provider, stored);
  const counted = key.operation === "count-tokens" ? readFields : [];
  const texts = counted.map((field) => (body?.[field] === undefined ? "" : JSON.stringify(body[field])));
  let lineage: Lineage | undefined;
  return {
    key,
    lineage: () => (lineage ??= lineageOf(provider, request)),
    redactedHash: () => {
      const json = objectOf(stored.body);
      const masked = json && redact({ body: json, headers: {}, chunks: [] }, []).body;
      return hashForMatch(provider, masked ? { ...stored, body: { json: masked } } : stored);
    },
    prompt: provider.readQuestion(request).prompt.slice(0, maxPromptLength),
    form: key.operation === "generate" ? provider.formOf(request) : null,
    inputLength: texts.join("").length,
    query,
  };
}

/** Parses a request and returns what is needed of it. Throws AppError bad_request. */
function parseRequest({ endpointId, provider, path, query, bytes, contentType }: RequestSource): DropInRequest {
  const schema = dropInEndpoints.find(({ id }) => id === endpointId)?.body;
  if (!schema) throw new Error(`${endpointId} has no body`);
  const body = parseBody(schema, bytes, contentType) as Record<string, unknown>;
  return digestRequest(requireProvider(provider), { method: "POST", path, query, body });
}

export type RequestWork = { source: RequestSource; withRedactedHash: boolean };
export type RequestResult =
  | { request: Omit<DropInRequest, "redactedHash" | "lineage">; lineage: Lineage; redactedHash: string }
  | { code: ErrorCode; message: string };

/** Parses a request in a worker thread, whose results are copied. */
export function runRequestWork({ source, withRedactedHash }: RequestWork): RequestResult {
  try {
    const { redactedHash, lineage, ...request } = parseRequest(source);
    return { request, lineage: lineage(), redactedHash: withRedactedHash ? redactedHash() : "" };
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}

/**
 * Parses a request and returns what is needed of it. A large body is parsed in a worker thread, because that takes up to
 * seconds; `hasRedactions` says whether its masked hash will be needed. Throws AppError bad_request, and payload_too_large
 * for a body that needs more time or memory than a request may take.
 */
export async function readRequest(
  source: RequestSource,
  hasRedactions: () => Promise<boolean>,
): Promise<DropInRequest> {
  if (source.bytes.byteLength < minWorkerLength) return parseRequest(source);
  const work: RequestWork = { source, withRedactedHash: await hasRedactions() };
  const result = await runInWorker<RequestResult>(entry, work, limits).catch((cause) => {
    if (!(cause instanceof WorkerError)) throw cause;
    throw new AppError("payload_too_large", "Reading the body takes too long or too much memory.", { cause });
  });
  if ("code" in result) throw new AppError(result.code, result.message);
  const { request, lineage, redactedHash } = result;
  return { ...request, lineage: () => lineage, redactedHash: () => redactedHash };
}
