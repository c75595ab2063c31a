import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Endpoint } from "#lib/contract/endpoint";
import { parseBody } from "#lib/contract/parse-body";
import { AppError } from "#lib/platform/errors";
import { perObject } from "#lib/platform/per-object";
import { findSimilar } from "#lib/platform/similar-texts";
import * as cassettes from "#lib/replay/cassettes/index";
import * as playback from "#lib/replay/playback/index";
import { type Provider, providerRequestId, providersOf, requireProvider } from "#lib/replay/providers/index";
import { getFleet, getFleetEndpoint } from "#lib/replay/sites/index";
import { type Binding, bindingsAt, bindWith } from "#lib/server/http/bindings";
import { keptDocument } from "#lib/server/http/kept-document";
import {
  type ErrorFormat,
  emptyReply,
  type Reply,
  redirectReply,
  tapedeckErrors,
  textReply,
} from "#lib/server/http/reply";
import { type ProductContext, withProducts } from "#lib/server/products";
import { versionlessPaths } from "../client-paths";

const bind = bindWith(withProducts);

function replayReply(replay: playback.Replay): Reply {
  const { status, headers } = replay;
  if (status === 204) return emptyReply(status, headers);
  const open = (response?: ServerResponse) => playback.playToStream(replay, response);
  return {
    status,
    headers,
    body: { kind: "stream", open, writeTo: (response) => playback.playToResponse(replay, response) },
  };
}

type Header = (name: string) => string | null;
type Input = {
  params: unknown;
  query: { speed?: number; fault?: string; alt?: string; key?: string };
  rawBody: Uint8Array;
  header: Header;
};

function dropInOf(endpoint: Endpoint, { requestId }: ProductContext, input: Input) {
  const { speed, fault, alt, key } = input.query;
  const query = new URLSearchParams({ ...(alt && { alt }), ...(key && { key }) }).toString();
  const { rawBody: bytes, header } = input;
  const params = (input.params ?? {}) as Record<string, string>;
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? "");
  const provider = endpoint.errorShape ?? "http";
  const source = { endpointId: endpoint.id, provider, path, query, bytes, contentType: header("content-type") };
  return { source, speed, fault, header, requestId };
}

/** Answers a request to a provider's path from cassettes. */
async function replayDropIn(endpoint: Endpoint, context: ProductContext, input: Input): Promise<Reply> {
  return replayReply(await playback.replayAnswer(context, dropInOf(endpoint, context, input)));
}

/** Answers a request to count tokens; `field` is the name of the number. */
async function countTokens(endpoint: Endpoint, field: string, context: ProductContext, input: Input): Promise<unknown> {
  const result = await playback.countTokens(context, dropInOf(endpoint, context, input));
  return "replay" in result ? replayReply(result.replay) : { [field]: result.tokens };
}

/** Paths are recorded encoded. */
function bedrockInput<Given extends { params: { modelId: string } }>(input: Given) {
  return { ...input, params: { ...input.params, modelId: encodeURIComponent(input.params.modelId) } };
}

async function showOllamaModel(context: ProductContext, input: Input): Promise<unknown> {
  const endpoint = playback.showOllamaModelEndpoint;
  const body = parseBody(playback.ollamaShowBodySchema, input.rawBody, input.header("content-type"));
  const shown = await playback.showOllamaModel(context, body.model ?? body.name ?? "");
  return shown ?? replayDropIn(endpoint, context, input);
}

const { countTokensEndpoint, countGeminiTokensEndpoint, callBedrockEndpoint, showOllamaModelEndpoint } = playback;
const ownVerbs: readonly Endpoint[] = [
  countTokensEndpoint,
  countGeminiTokensEndpoint,
  callBedrockEndpoint,
  showOllamaModelEndpoint,
];
const replayed: readonly Endpoint[] = playback.dropInEndpoints.filter(
  (endpoint: Endpoint) => endpoint.method === "POST" && !ownVerbs.includes(endpoint),
);

/** A list of the catalogue stays the same array until it changes. */
const listingId = perObject((_list: readonly object[]) => randomUUID());

export const bindings = [
  bind(playback.discoverReplayEndpoint, playback.discoverReplay),
  bind(playback.randomReplayEndpoint, async (context, { query }) =>
    redirectReply(await playback.pickRandomReplay(context, query)),
  ),
  bind(playback.streamReplayEndpoint, async (context, input) =>
    replayReply(await playback.openRequestedReplay(context, input)),
  ),
  bind(playback.explainMatchEndpoint, (context, { rawBody, header }) =>
    playback.explainMatch(context, parseBody(playback.matchRequestSchema, rawBody, header("content-type"))),
  ),
  bind(cassettes.listCassettesEndpoint, async (context, input) =>
    keptDocument(context, `cassettes ${listingId(await context.catalogue.list())} ${JSON.stringify(input.query)}`, {
      contentType: "application/json; charset=utf-8",
      write: async () => `${JSON.stringify(await cassettes.listCassettes(context, input))}\n`,
    }),
  ),
  bind(cassettes.downloadCassetteEndpoint, async (context, input) => {
    const { fileName, contentType, bytes } = await cassettes.downloadCassette(context, input);
    return textReply(bytes, contentType, { "Content-Disposition": `attachment; filename="${fileName}"` });
  }),
  bind(getFleetEndpoint, getFleet),
  bind(playback.listModelsEndpoint, (context, { header }) => playback.listModels(context, { header })),
  bind(playback.listGeminiModelsEndpoint, (context, { header }) =>
    playback.listModels(context, { header, provider: "gemini" }),
  ),
  bind(playback.listOllamaModelsEndpoint, (context, { header }) =>
    playback.listModels(context, { header, provider: "ollama" }),
  ),
  bind(playback.getModelEndpoint, (context, { header, params }) =>
    playback.getModel(context, { header, name: params.model }),
  ),
  {
    ...bind(playback.getGeminiModelEndpoint, (context, { header, params }) =>
      playback.getModel(context, { header, provider: "gemini", name: params.model }),
    ),
    // A method of a model follows a colon, and is no name.
    pattern: /^\/v1beta\/models\/(?<model>(?:cassette:)?[^/:]+)$/,
  },
  bind(playback.getOllamaVersionEndpoint, () => playback.ollamaVersion),
  bind(showOllamaModelEndpoint, showOllamaModel),
  bind(playback.retrieveResponseEndpoint, async (context, { params, query, header }) => {
    const { speed, fault, stream, starting_after: startingAfter } = query;
    const { requestId } = context;
    const retrieval = { id: params.responseId, isStream: stream === "true", startingAfter, header, requestId };
    return replayReply(await playback.retrieveResponse(context, { ...retrieval, speed, fault }));
  }),
  bind(countTokensEndpoint, (context, input) => countTokens(countTokensEndpoint, "input_tokens", context, input)),
  bind(countGeminiTokensEndpoint, (context, input) =>
    countTokens(countGeminiTokensEndpoint, "totalTokens", context, input),
  ),
  bind(callBedrockEndpoint, (context, input) => replayDropIn(callBedrockEndpoint, context, bedrockInput(input))),
  ...replayed.map((endpoint) => bind(endpoint, (context, input) => replayDropIn(endpoint, context, input as Input))),
];

/** Returns the provider whose path it is or could be; undefined for other paths. */
function providerAt(path: string, header: Header): Provider | undefined {
  const declared = bindingsAt(bindings, path).find(({ endpoint }) => endpoint.method === "POST")?.endpoint.errorShape;
  if (declared && declared !== "tapedeck") return requireProvider(declared);
  if (path.startsWith("/model/")) return requireProvider("http");
  const [found] = providersOf({ method: "POST", path });
  if (found) return found.provider;
  if (/^\/(?:messages|anthropic)(?:\/|$)/.test(path)) return requireProvider("anthropic");
  if (/^\/v1beta1?(?:\/|$)/.test(path)) return requireProvider("gemini");
  if (!/^\/(?:v1|models|openai|inference)(?:\/|$)/.test(path)) return undefined;
  return requireProvider(header("anthropic-version") === null ? "openai-chat" : "anthropic");
}

/** The paths of the providers' protocols, without those of Vertex AI, which would fill the message. */
const dropInPaths = playback.dropInEndpoints
  .filter(({ path }) => !path.includes("{project}"))
  .map(({ method, path }) => `${method} ${path}`);
/** How similar a path must be to be named as the nearest one, from 0 to 1. */
const minPathScore = 0.8;

/** Answers requests to paths of no endpoint that were recorded. */
export function otherAt(call: { method: string; path: string; query: string }): Binding | undefined {
  const endpoint = playback.recordedCallEndpoint;
  return bind(endpoint, async (context, { rawBody: bytes, header }) => {
    const { requestId } = context;
    const replay = await playback.replayCall(context, { ...call, bytes, header, requestId }).catch(async (error) => {
      const isUnknown = error instanceof AppError && error.code === "not_found" && !header("x-replay-cassette");
      if (!isUnknown) throw error;
      const [, id] = /^\/api\/v1\/(?:replay|cassettes)\/(.+)$/.exec(call.path) ?? [];
      if (id === undefined) throw new AppError("not_found", notFoundAt(call.path));
      throw cassettes.unknownCassette(await context.catalogue.ids(), decodeURIComponent(id));
    });
    return replayReply(replay);
  });
}

function notFoundAt(path: string): string {
  if (versionlessPaths.test(path))
    return `There is no ${path} here. Add /v1 to the base URL of your client, so that it asks for /v1${path}.`;
  const supported = path.startsWith("/api/v1/")
    ? "GET /openapi.json lists all endpoints"
    : `Supported are ${dropInPaths.join(", ")}`;
  const [nearest] = findSimilar(dropInPaths, path, {
    textsOf: (each) => [each.slice(each.indexOf("/"))],
    limit: 1,
    minScore: minPathScore,
  });
  const meant = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `There is no such path here, nor a recording of exactly this request.${meant} ${supported}.`;
}

/** Errors have the format of the provider whose path it is. */
export function errorsAt(path: string, header: Header): ErrorFormat {
  const provider = providerAt(path, header);
  if (!provider) return tapedeckErrors;
  const { requestIdHeader } = provider;
  const bodyOf = ({ status, message }: AppError, requestId: string) =>
    provider.errorBody({ status, message, requestId: providerRequestId(requestId) });
  return {
    body: bodyOf,
    headers: (error, requestId) =>
      provider.name === "http"
        ? { "x-amzn-errortype": String(bodyOf(error, requestId).__type) }
        : requestIdHeader === "x-request-id"
          ? {}
          : { [requestIdHeader]: providerRequestId(requestId) },
    notFound: notFoundAt(path),
  };
}
