import type { Endpoint } from "#lib/contract/endpoint";
import { parseBody } from "#lib/contract/parse-body";
import * as cassettes from "#lib/replay/cassettes/index";
import * as playback from "#lib/replay/playback/index";
import { type Provider, providersOf, requireProvider } from "#lib/replay/providers/index";
import { getFleet, getFleetEndpoint } from "#lib/replay/sites/index";
import { bindWith } from "#lib/server/http/bindings";
import {
  type ErrorFormat,
  emptyReply,
  type Reply,
  redirectReply,
  streamReply,
  tapedeckErrors,
} from "#lib/server/http/reply";
import { type ProductContext, withProducts } from "#lib/server/products";

const bind = bindWith(withProducts);

function replayReply(replay: playback.Replay): Reply {
  const { status, headers } = replay;
  if (status === 204) return emptyReply(status, headers);
  const open = () => playback.playToStream(replay);
  return {
    status,
    headers,
    body: { kind: "stream", open, writeTo: (response) => playback.playToResponse(replay, response) },
  };
}

type Input = {
  query: { speed?: number; alt?: string; key?: string };
  rawBody: Uint8Array;
  header: (name: string) => string | null;
};

function dropInOf(endpoint: Endpoint, provider: string, { requestId }: ProductContext, input: Input, path: string) {
  const { speed, alt, key } = input.query;
  const query = new URLSearchParams({ ...(alt && { alt }), ...(key && { key }) }).toString();
  const { rawBody: bytes, header } = input;
  const source = { endpointId: endpoint.id, provider, path, query, bytes, contentType: header("content-type") };
  return { source, speed, header, requestId };
}

/** Answers a request to a provider's path from cassettes. */
async function replayDropIn(
  endpoint: Endpoint,
  provider: string,
  context: ProductContext,
  input: Input,
  path: string = endpoint.path,
): Promise<Reply> {
  return replayReply(await playback.replayAnswer(context, dropInOf(endpoint, provider, context, input, path)));
}

const dropIns = [
  ["anthropic", playback.createMessageEndpoint],
  ["openai-chat", playback.createChatCompletionEndpoint],
  ["openai-chat", playback.createEmbeddingEndpoint],
  ["openai-responses", playback.createResponseEndpoint],
  ["ollama", playback.createOllamaChatEndpoint],
] as const;

/** Answers a request to count tokens. */
async function countRequestTokens(context: ProductContext, input: Input): Promise<unknown> {
  const { path } = playback.countTokensEndpoint;
  const result = await playback.countTokens(
    context,
    dropInOf(playback.countTokensEndpoint, "anthropic", context, input, path),
  );
  return "replay" in result ? replayReply(result.replay) : result;
}

export const bindings = [
  bind(playback.discoverReplayEndpoint, playback.discoverReplay),
  bind(playback.randomReplayEndpoint, async (context) => redirectReply(await playback.pickRandomReplay(context))),
  bind(playback.streamReplayEndpoint, async (context, input) =>
    replayReply(await playback.openRequestedReplay(context, input)),
  ),
  bind(playback.explainMatchEndpoint, (context, { rawBody, header }) =>
    playback.explainMatch(context, parseBody(playback.matchRequestSchema, rawBody, header("content-type"))),
  ),
  bind(cassettes.listCassettesEndpoint, cassettes.listCassettes),
  bind(cassettes.downloadCassetteEndpoint, async (context, input) => {
    const { fileName, contentType, bytes } = await cassettes.downloadCassette(context, input);
    return streamReply(new Blob([new Uint8Array(bytes)]).stream(), {
      "Content-Type": contentType,
      "Content-Disposition": `attachment; filename="${fileName}"`,
    });
  }),
  bind(getFleetEndpoint, getFleet),
  bind(playback.listModelsEndpoint, (context, { header }) => playback.listModels(context, header)),
  bind(playback.countTokensEndpoint, countRequestTokens),
  ...dropIns.map(([name, endpoint]) =>
    bind(endpoint, (context, input: Input) => replayDropIn(endpoint, name, context, input)),
  ),
  bind(playback.generateContentEndpoint, (context, input) =>
    replayDropIn(playback.generateContentEndpoint, "gemini", context, input, `/v1beta/models/${input.params.action}`),
  ),
];

/** Returns the provider whose path it is or could be; undefined for other paths. */
function providerAt(path: string, header: (name: string) => string | null): Provider | undefined {
  const [found] = providersOf({ method: "POST", path });
  if (found) return found.provider;
  if (/^\/messages(?:\/|$)/.test(path)) return requireProvider("anthropic");
  if (/^\/v1beta(?:\/|$)/.test(path)) return requireProvider("gemini");
  if (!/^\/v1(?:\/|$)/.test(path)) return undefined;
  return requireProvider(header("anthropic-version") === null ? "openai-chat" : "anthropic");
}

/** The paths of the providers' protocols. A path of Gemini ends with what the model is to do. */
const dropInPaths = playback.dropInEndpoints
  .map(({ method, path }) => `${method} ${path.replace("{action}", "{model}:generateContent")}`)
  .join(", ");

/** Clients of Amazon Bedrock read the message alone. */
const bedrockErrors: ErrorFormat = {
  body: ({ message }) => ({ message }),
  notFound: "Amazon Bedrock is not replayed here. `tapedeck run` records and replays its calls: see /docs/clients.",
};

/** Errors have the format of the provider whose path it is. */
export function errorsAt(path: string, header: (name: string) => string | null): ErrorFormat {
  if (path.startsWith("/model/")) return bedrockErrors;
  const provider = providerAt(path, header);
  if (!provider) return tapedeckErrors;
  const isVersionMissing = /^\/(?:chat|responses|embeddings|messages)(?:\/|$)/.test(path);
  return {
    body: ({ status, message }, requestId) => provider.errorBody({ status, message, requestId }),
    notFound: isVersionMissing
      ? `There is no ${path} here. Add /v1 to the base URL of your client, so that it asks for /v1${path}.`
      : `There is no such path here. Supported are ${dropInPaths}.`,
  };
}
