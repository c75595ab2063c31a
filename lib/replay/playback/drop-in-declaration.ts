import type * as z from "zod";
import type { Endpoint, HeaderDeclaration, ResponseDeclaration } from "#lib/contract/endpoint";
import { dropInQuerySchema } from "./drop-in-schemas";
import { replayHeaderDeclarations, storeMissingOrDown } from "./endpoints";
import { matchKinds } from "./schemas";

/** Maximum size of a request, in bytes: a conversation with images and documents. */
const maxBodyByteSize = 32 * 1024 * 1024;

const string = { type: "string" };

const requestHeaders: Record<string, HeaderDeclaration> = {
  "x-replay-cassette": { description: "Cassette, or turn of a conversation, to replay.", schema: string },
  "x-replay-after-end": {
    description: "`repeat`: requests after the last turn of the named cassette get its last answer again.",
    schema: { ...string, enum: ["repeat"] },
  },
  "x-replay-speed": { description: "As the parameter `speed`.", schema: string },
  "x-replay-test": {
    description: "A name of your own, under which requests are counted for sequences and repeated requests.",
    schema: string,
  },
  "x-replay-sequence": {
    description:
      "What each request of the test gets: ids of cassettes, statuses, `overloaded`, `rate_limited`; or `@<name>` of a sequence in `sequences.json`.",
    schema: string,
  },
  "x-replay-fault": {
    description:
      "`status=529`, `cut-after-event=12`, `error-after-event=12`, `end-after-event=12`, `stall=5s`, `first-byte=2s`, `jitter=50ms;seed=7`, `rechunk=1`, or several, separated by commas.",
    schema: string,
  },
};

const responseHeaders: Record<string, HeaderDeclaration> = {
  ...replayHeaderDeclarations,
  "x-replay-match": { description: "How the cassette was chosen.", schema: { ...string, enum: [...matchKinds] } },
};

const errors = {
  bad_request: "The body or `speed` is invalid, or the named cassette is of another provider.",
  not_found: "No recording fits the request. The message names the nearest ones.",
  conflict: "More than one recording fits the request.",
  payload_too_large: "The body is over 32 MiB.",
  service_unavailable: storeMissingOrDown,
};

/** What all endpoints of protocols have in common. */
export const common = {
  method: "POST",
  tag: "Drop-in",
  auth: "none",
  query: dropInQuerySchema,
  requestHeaders,
  // Large bodies are parsed in a worker thread.
  rawBodyByteSize: maxBodyByteSize,
  errors,
  otherErrors:
    "An error that `x-replay-fault` or `x-replay-sequence` asks for, with any status from 400 to 599, or a recorded error.",
  cacheControl: "no-cache, no-transform",
  maxDurationSeconds: 300,
} as const satisfies Partial<Endpoint>;

export const choice =
  "The cassette is named by `model: cassette:<id>`, the header `x-replay-cassette`, or the API key `cassette:<id>`. The name of any turn of a conversation plays the turn that fits the request. Otherwise it is the recording of exactly this request, else, for a first turn, the site's cassette with a similar prompt.";

/** Declares the response: an answer, and its stream if it can have one. */
export function answerOf(schema: z.ZodType, example: unknown, stream?: ResponseDeclaration["body"]) {
  return {
    200: {
      description: stream ? "The answer, or its stream if the request asks for one." : "The answer.",
      ...(stream && { otherBodies: [stream] }),
      headers: responseHeaders,
      body: { type: "application/json", schema, example },
    },
  };
}
