import {
  countTokens,
  countTokensEndpoint,
  createChatCompletionEndpoint,
  createEmbeddingEndpoint,
  createMessageEndpoint,
  createOllamaChatEndpoint,
  createResponseEndpoint,
  replayAnswer,
} from "#lib/replay/playback/index";
import { anthropic, type Provider, requireProvider } from "#lib/replay/providers/index";
import type { RequestContext } from "./context";
import { type Reply, replayReply } from "./reply";

type Input = {
  params?: unknown;
  query: { speed?: number; alt?: string; key?: string };
  body: Record<string, unknown>;
  header: (name: string) => string | null;
};

function toRequest({ query: { alt, key }, body }: Input, path: string) {
  const query = new URLSearchParams({ ...(alt && { alt }), ...(key && { key }) }).toString();
  return { method: "POST", path, query, body };
}

/** Returns the verb that answers a provider's path from cassettes. */
function dropIn(name: Provider["name"], pathOf: (params: unknown) => string) {
  const provider = requireProvider(name);
  return async (context: RequestContext, input: Input): Promise<Reply> => {
    const { query, header } = input;
    const request = toRequest(input, pathOf(input.params));
    const { requestId } = context;
    return replayReply(await replayAnswer(context, { provider, request, speed: query.speed, header, requestId }));
  };
}

/** Each is bound twice: as a route handler, and in node-server.ts. */
export const createMessage = dropIn("anthropic", () => createMessageEndpoint.path);
export const createChatCompletion = dropIn("openai-chat", () => createChatCompletionEndpoint.path);
export const createResponse = dropIn("openai-responses", () => createResponseEndpoint.path);
export const createEmbedding = dropIn("openai-chat", () => createEmbeddingEndpoint.path);
export const createOllamaChat = dropIn("ollama", () => createOllamaChatEndpoint.path);
export const generateContent = dropIn("gemini", (params) => `/v1beta/models/${(params as { action: string }).action}`);

/** Answers a request to count tokens. */
export async function countRequestTokens(context: RequestContext, input: Input): Promise<unknown> {
  const { query, header } = input;
  const request = toRequest(input, countTokensEndpoint.path);
  const { requestId } = context;
  const result = await countTokens(context, { provider: anthropic, request, speed: query.speed, header, requestId });
  return "replay" in result ? replayReply(result.replay) : result;
}
