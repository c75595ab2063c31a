import * as z from "zod";
import {
  defineEndpoint,
  eventStreamBody,
  type HeaderDeclaration,
  jsonResponse,
  textBody,
} from "#lib/contract/endpoint";
import {
  matchAnswerSchema,
  matchRequestSchema,
  randomReplayQuerySchema,
  replayDiscoverySchema,
  replayParamsSchema,
  replayQuerySchema,
} from "./schemas";

const string = { type: "string" };

export const replayHeaderDeclarations: Record<string, HeaderDeclaration> = {
  "x-replay-source": { description: "Always `cassette`.", schema: { ...string, const: "cassette" } },
  "x-replay-cassette": { description: "Id of the cassette.", schema: string },
  "x-replay-tokens-spent": { description: "Always 0.", schema: { ...string, const: "0" } },
  "x-replay-provenance": {
    description: "Whether the cassette was recorded, imported or authored.",
    schema: { ...string, enum: ["recorded", "imported", "authored"] },
  },
  "x-replay-timing": {
    description: "Whether the timing was measured or is synthetic.",
    schema: { ...string, enum: ["measured", "synthetic"] },
  },
};

export const streamExample =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_authored_1","type":"message"}}\n\n';

const maxMatchByteSize = 1024 * 1024;

const storeDown = "The cassette store does not respond.";
export const storeMissingOrDown = "No cassette store is configured, or it does not respond.";

export const discoverReplayEndpoint = defineEndpoint({
  id: "discoverReplay",
  method: "GET",
  path: "/api/v1/replay",
  tag: "Replay",
  summary: "Discover replay",
  description: "How to replay a cassette: the URL pattern, an example, the listing, and the cost (no tokens).",
  auth: "none",
  responses: {
    200: jsonResponse("The discovery document.", replayDiscoverySchema, {
      endpoint_pattern: "http://127.0.0.1:3000/api/v1/replay/{vertical}/{cookbook}",
      example: "http://127.0.0.1:3000/api/v1/replay/developer-tools/explain-sse",
      cassettes_listing: "http://127.0.0.1:3000/api/v1/cassettes",
      random_url: "http://127.0.0.1:3000/api/v1/replay/random",
      openapi: "http://127.0.0.1:3000/openapi.json",
      methods: ["GET", "HEAD"],
      auth: "none",
      tokens_per_replay: 0,
      response_content_type: "text/event-stream; charset=utf-8",
    }),
  },
  errors: { service_unavailable: storeDown },
});

export const explainMatchEndpoint = defineEndpoint({
  id: "explainMatch",
  method: "POST",
  path: "/api/v1/match",
  tag: "Replay",
  summary: "Explain a match",
  description:
    "Returns which cassette a request to a drop-in endpoint gets, how it is chosen, and the recordings that come nearest with their differences. Plays nothing, and does not count for sequences.",
  auth: "none",
  rawBodyByteSize: maxMatchByteSize,
  body: matchRequestSchema,
  bodyExample: {
    path: "/v1/messages",
    body: {
      model: "cassette:developer-tools/explain-sse",
      max_tokens: 1024,
      messages: [{ role: "user", content: "Explain server-sent events." }],
    },
  },
  responses: {
    200: jsonResponse("What the request gets.", matchAnswerSchema, {
      cassette: "developer-tools/explain-sse",
      match: "name",
      error: null,
      nearest: [
        {
          id: "developer-tools/explain-sse",
          title: "How server-sent events work",
          difference_count: 1,
          differences: ['/messages/0/content was "Explain SSE." and is now "Explain server-sent events."'],
        },
      ],
    }),
  },
  errors: {
    bad_request: "The body is invalid, or `path` is no path of a protocol that is replayed here.",
    payload_too_large: "The body is over 1 MiB.",
    service_unavailable: storeDown,
  },
});

export const randomReplayEndpoint = defineEndpoint({
  id: "replayRandom",
  method: "GET",
  path: "/api/v1/replay/random",
  tag: "Replay",
  summary: "Replay a random cassette",
  description:
    "Redirects to a cassette of this site's vertical, or of those that the filters of the listing select, chosen at random with equal probability, with `speed`, `ids`, `from` and `fault` of the request.",
  auth: "none",
  query: randomReplayQuerySchema,
  responses: {
    302: {
      description: "The chosen replay.",
      headers: { Location: { description: "URL of the replay.", schema: { ...string, format: "uri" } } },
    },
  },
  errors: {
    bad_request: "`vertical`, `protocol`, `speed`, `ids`, `from`, `fault` or `seed` is invalid, or given twice.",
    not_found: "The site has no cassettes, or none that the filters select.",
    service_unavailable: storeDown,
  },
  cacheControl: "no-store",
});

export const streamReplayEndpoint = defineEndpoint({
  id: "streamReplay",
  method: "GET",
  path: "/api/v1/replay/{vertical}/{cookbook}",
  tag: "Replay",
  summary: "Stream a cassette",
  description:
    "Streams the cassette's chunks byte for byte, each at its time on an absolute schedule, so that delays do not add up. Every site can replay every cassette. Streams of Ollama are lines of JSON, with the type application/x-ndjson; an answer that was recorded as a whole is JSON. A cassette of an error response is returned with its status and content type.",
  auth: "none",
  maxDurationSeconds: 300,
  params: replayParamsSchema,
  paramsErrorCode: "not_found",
  query: replayQuerySchema,
  requestHeaders: {
    "Last-Event-ID": {
      description: "With `ids=1`: id of the last event received. The stream continues after it.",
      schema: string,
    },
  },
  responses: {
    200: {
      description: "The stream.",
      headers: replayHeaderDeclarations,
      body: eventStreamBody(streamExample),
      otherBodies: [
        textBody("application/x-ndjson", '{"message":{"role":"assistant","content":"Hello"},"done":false}\n'),
        { type: "application/json", schema: z.unknown(), example: { object: "list", data: [] } },
      ],
    },
    204: { description: "With `ids=1`: no events are left after the given one." },
  },
  errors: {
    bad_request: "`speed`, `ids`, `from`, `fault` or `Last-Event-ID` is invalid, or given twice.",
    not_found: "There is no such cassette or vertical.",
    service_unavailable: storeMissingOrDown,
  },
  otherErrors: "An error that `fault` asks for, with any status from 400 to 599, or a recorded error.",
  cacheControl: "no-cache, no-transform",
});

export const replayEndpoints = [
  explainMatchEndpoint,
  discoverReplayEndpoint,
  randomReplayEndpoint,
  streamReplayEndpoint,
];
