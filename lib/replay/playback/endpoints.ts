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
  "x-replay-cassette": { description: "Id of the cassette that is replayed.", schema: string },
  "x-replay-tokens-spent": { description: "Always 0.", schema: { ...string, const: "0" } },
  "x-replay-provenance": {
    description: "Where the cassette comes from.",
    schema: { ...string, enum: ["recorded", "imported", "authored"] },
  },
  "x-replay-timing": {
    description: "Whether the timing was measured or made up.",
    schema: { ...string, enum: ["measured", "synthetic"] },
  },
};

const streamExample =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_authored_1","type":"message"}}\n\n';

export const discoverReplayEndpoint = defineEndpoint({
  id: "discoverReplay",
  method: "GET",
  path: "/api/v1/replay",
  tag: "Replay",
  summary: "Discover replay",
  description: "How to replay: the address pattern, an example, the listing, and what a replay costs (nothing).",
  auth: "none",
  answers: {
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
  errors: { service_unavailable: "The cassette store does not answer." },
});

export const randomReplayEndpoint = defineEndpoint({
  id: "replayRandom",
  method: "GET",
  path: "/api/v1/replay/random",
  tag: "Replay",
  summary: "Replay a random cassette",
  description: "Redirects to a cassette of the site's own vertical, chosen at random, each as likely.",
  auth: "none",
  answers: {
    302: {
      description: "The chosen replay.",
      headers: { Location: { description: "Address of the replay.", schema: { ...string, format: "uri" } } },
    },
  },
  errors: {
    not_found: "The site has no cassettes.",
    service_unavailable: "The cassette store does not answer.",
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
    "Streams the recorded chunks byte for byte with their recorded delays, kept against an absolute schedule. Any site replays any cassette. A cassette of an error response is answered with its recorded status and type.",
  auth: "none",
  params: replayParamsSchema,
  paramsErrorCode: "not_found",
  query: replayQuerySchema,
  requestHeaders: {
    "Last-Event-ID": {
      description: "With `ids=1`: id of the last event received; the stream goes on after it.",
      schema: string,
    },
  },
  answers: {
    200: {
      description: "The recorded stream.",
      headers: replayHeaderDeclarations,
      body: { type: "text/event-stream", schema: z.string(), example: streamExample },
    },
    204: { description: "With `ids=1`: nothing is left after the event that the client names." },
  },
  errors: {
    bad_request: "`speed`, `ids`, `from` or `Last-Event-ID` is not valid, or given twice.",
    not_found: "There is no such cassette, or no such vertical.",
    service_unavailable: "No cassette store is configured, or it does not answer.",
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
    "Speaks the Anthropic Messages protocol, so that an unmodified SDK with its base URL set to this service gets a replay. The cassette is named by `model: cassette:<vertical>/<slug>`, else by the header `x-replay-cassette`, else it is the site's cassette with the nearest recorded prompt. Errors have the provider's shape.",
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
  answers: {
    200: {
      description: "The message, or with `stream: true` the recorded stream as `text/event-stream`.",
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
    bad_request: "The body or `speed` is not valid.",
    not_found: "There is no such cassette.",
    payload_too_large: "The body is over 64 KiB.",
    service_unavailable: "No cassette store is configured, or it does not answer.",
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
