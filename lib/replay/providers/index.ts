import { anthropic } from "./anthropic";
import { gemini } from "./gemini";
import { ollama } from "./ollama";
import { openaiChat } from "./openai-chat";
import { openaiResponses } from "./openai-responses";
import type { Operation, Provider, ProviderRequest } from "./provider";

export { anthropic } from "./anthropic";
export {
  EventReader,
  type Framing,
  framingOf,
  type RecordedEvent,
  readEvents,
  type StreamEvent,
  type TimedChunk,
} from "./events";
export {
  type Answer,
  type AnswerForm,
  type AnswerPart,
  type Ask,
  asObject,
  type Citation,
  type Delta,
  eventStreamType,
  type Folded,
  jsonText,
  type Operation,
  objectsOf,
  outputTokensOf,
  type Provider,
  type ProviderRequest,
  type Question,
  serverSentEvent,
  textOrNull,
} from "./provider";

export const providers = [
  anthropic,
  openaiChat,
  openaiResponses,
  gemini,
  ollama,
] as const satisfies readonly Provider[];

const [first, ...others] = providers;

export const providerNames: [string, ...string[]] = [first.name, ...others.map(({ name }) => name)];

export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name === name);
}

export function requireProvider(name: string): Provider {
  const provider = findProvider(name);
  if (!provider) throw new Error(`Unknown provider ${name}. Known providers: ${providerNames.join(", ")}.`);
  return provider;
}

/** Returns every provider that has this path, and what it is for there: several have `GET /v1/models`. */
export function providersOf(
  request: Pick<ProviderRequest, "method" | "path">,
): { provider: Provider; operation: Operation }[] {
  return providers.flatMap((provider) => {
    const operation = provider.operationOf(request);
    return operation === null ? [] : [{ provider, operation }];
  });
}
