import { anthropic } from "./anthropic";
import { gemini } from "./gemini";
import { http } from "./http";
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
  type TimedChunk,
} from "./events";
export { gemini } from "./gemini";
export { http } from "./http";
export { idFieldsOf } from "./id-fields";
export { ollama } from "./ollama";
export { openaiChat } from "./openai-chat";
export { openaiResponses } from "./openai-responses";
export {
  type Answer,
  type AnswerForm,
  type AnswerPart,
  type Ask,
  asObject,
  type Delta,
  errorEvent,
  eventStreamType,
  type Folded,
  jsonText,
  type Operation,
  objectsOf,
  type Provider,
  type ProviderRequest,
  providerRequestId,
  serverSentEvent,
  textOrNull,
} from "./provider";
export { type Tokens, tokensOf } from "./tokens";

/** The providers whose protocol is known. */
export const providers = [
  anthropic,
  openaiChat,
  openaiResponses,
  gemini,
  ollama,
] as const satisfies readonly Provider[];

const [first, ...others] = providers;

export const protocolNames: [string, ...string[]] = [first.name, ...others.map(({ name }) => name)];
/** What cassettes can be of: a known protocol, or plain HTTP. */
export const providerNames: [string, ...string[]] = [...protocolNames, http.name];

export function findProvider(name: string): Provider | undefined {
  return [...providers, http].find((provider) => provider.name === name);
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

/**
 * Returns the end of a request's path that its protocol describes, without what gateways and clouds put in front of it.
 * Paths that are neither for an answer, its tokens nor embeddings stay whole.
 */
export function pathInProtocol(provider: Provider, { method, path }: Pick<ProviderRequest, "method" | "path">): string {
  const operation = provider.operationOf({ method, path });
  if (operation === null || operation === "other" || operation === "models") return path;
  const segments = path.split("/");
  for (let start = segments.length - 1; start > 1; start -= 1) {
    const end = `/${segments.slice(start).join("/")}`;
    if (provider.operationOf({ method, path: end }) !== operation) continue;
    const [, version] = /^(v\d\w*|api)$/.exec(segments[start - 1] ?? "") ?? [];
    return version === undefined ? end : `/${version}${end}`;
  }
  return path;
}
