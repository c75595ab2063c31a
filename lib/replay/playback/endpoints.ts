import { z } from "zod";
import { defineEndpoint, type HeaderDeclaration } from "#lib/contract/endpoint";
import {
  messageSchema,
  messagesBodySchema,
  messagesQuerySchema,
  replayDiscoverySchema,
  replayParamsSchema,
  replayQuerySchema,
} from "./schemas";

const string = { type: "string" };

const replayHeaderDeclarations: Record<string, HeaderDeclaration> = {
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

const streamExample =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_authored_1","type":"message"}}\n\n';

const storeDown = "The cassette store does not respond.";
const storeMissingOrDown = "No cassette store is configured, or it does not respond.";

export const discoverReplayEndpoint = defineEndpoint({
  id: "discoverReplay",
  method: "GET",
  path: "/api/v1/replay",
  tag: "Replay",
  summary: "Discover replay",
  description: "How to replay a cassette: the URL pattern, an example, the listing, and the cost (no tokens).",
  auth: "none",
  responses: {
    200: {
      description: "The discovery document.",
      body: {
        type: "application/json",
        schema: replayDiscoverySchema,
        example: {
          endpoint_pattern: "http://127.0.0.1:3000/api/v1/replay/{vertical}/{cookbook}",
          example: "http://127.0.0.1:3000/api/v1/replay/developer-tools/explain-sse",
          cassettes_listing: "http://127.0.0.1:3000/api/v1/cassettes",
          random_url: "http://127.0.0.1:3000/api/v1/replay/random",
          openapi: "http://127.0.0.1:3000/openapi.json",
          methods: ["GET", "HEAD"],
          auth: "none",
          tokens_per_replay: 0,
          response_content_type: "text/event-stream; charset=utf-8",
        },
      },
    },
  },
  errors: { service_unavailable: storeDown },
});

export const randomReplayEndpoint = defineEndpoint({
  id: "replayRandom",
  method: "GET",
  path: "/api/v1/replay/random",
  tag: "Replay",
  summary: "Replay a random cassette",
  description: "Redirects to a cassette of this site's vertical, chosen at random with equal probability.",
  auth: "none",
  responses: {
    302: {
      description: "The chosen replay.",
      headers: { Location: { description: "URL of the replay.", schema: { ...string, format: "uri" } } },
    },
  },
  errors: { not_found: "The site has no cassettes.", service_unavailable: storeDown },
  cacheControl: "no-store",
});

export const streamReplayEndpoint = defineEndpoint({
  id: "streamReplay",
  method: "GET",
  path: "/api/v1/replay/{vertical}/{cookbook}",
  tag: "Replay",
  summary: "Stream a cassette",
  description:
    "Streams the cassette's chunks byte for byte, each at its time on an absolute schedule, so that delays do not add up. Every site can replay every cassette. A cassette of an error response is returned with its status and content type.",
  auth: "none",
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
      body: { type: "text/event-stream", schema: z.string(), example: streamExample },
    },
    204: { description: "With `ids=1`: no events are left after the given one." },
  },
  errors: {
    bad_request: "`speed`, `ids`, `from` or `Last-Event-ID` is invalid, or given twice.",
    not_found: "There is no such cassette or vertical.",
    service_unavailable: storeMissingOrDown,
  },
  cacheControl: "no-cache, no-transform",
});

export const createMessageEndpoint = defineEndpoint({
  id: "createMessage",
  method: "POST",
  path: "/v1/messages",
  tag: "Drop-in",
  summary: "Create a message from a cassette",
  description:
    "Implements the Anthropic Messages protocol, so that an unmodified SDK gets a replay when its base URL points to this service. The cassette is chosen by `model: cassette:<vertical>/<slug>`, else by the header `x-replay-cassette`, else it is this site's cassette with the most similar prompt. Errors have the provider's format.",
  auth: "none",
  query: messagesQuerySchema,
  requestHeaders: {
    "x-replay-cassette": { description: "Cassette to replay, `<vertical>/<slug>`.", schema: string },
  },
  body: messagesBodySchema,
  bodyExample: {
    model: "cassette:developer-tools/explain-sse",
    max_tokens: 1024,
    stream: true,
    messages: [{ role: "user", content: "Explain server-sent events." }],
  },
  responses: {
    200: {
      description: "The message, or with `stream: true` the cassette's stream as `text/event-stream`.",
      streamExample,
      headers: replayHeaderDeclarations,
      body: {
        type: "application/json",
        schema: messageSchema,
        example: {
          id: "msg_authored_1",
          type: "message",
          role: "assistant",
          model: "tapedeck-authored",
          content: [{ type: "text", text: "A server-sent event is a few lines of text." }],
          stop_reason: "end_turn",
          stop_sequence: null,
          usage: { input_tokens: 12, output_tokens: 9 },
        },
      },
    },
  },
  errors: {
    bad_request: "The body or `speed` is invalid.",
    not_found: "There is no such cassette.",
    payload_too_large: "The body is over 64 KiB.",
    service_unavailable: storeMissingOrDown,
  },
  errorShape: "anthropic",
  cacheControl: "no-cache, no-transform",
});

export const replayEndpoints = [
  discoverReplayEndpoint,
  randomReplayEndpoint,
  streamReplayEndpoint,
  createMessageEndpoint,
];
