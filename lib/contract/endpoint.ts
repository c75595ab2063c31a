import * as z from "zod";
import type { ErrorCode } from "#lib/platform/errors";

/** The groups of endpoints in the OpenAPI document and the API reference, with their public descriptions. */
export const endpointTags = {
  Replay: "Stream recorded or authored model responses, byte for byte and with their timing.",
  "Drop-in": "The model provider's own protocol, answered from cassettes.",
  Fleet: "The sibling sites of this service.",
  Vendors: "What vendors publish for agents in their llms.txt files, and how it changes.",
  Models: "Models with their ends, successors and prices, as public sources state them.",
  Webhooks: "Notifications of significant changes, and their deliveries.",
  "E-mail": "Changes by e-mail.",
  "Keys and billing": "API keys, pricing, and payment.",
  MCP: "The Model Context Protocol, for agents.",
  Operations: "Health of the service, and its scheduled jobs.",
  Discovery: "Machine-readable descriptions of the service.",
} as const;

export type EndpointTag = keyof typeof endpointTags;

/** Returns a tag's name for use in URLs, such as `keys-and-billing`. */
export function tagSlug(tag: EndpointTag): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** Returns whether a tag has this slug. */
export function isTagSlug(slug: string): boolean {
  return (Object.keys(endpointTags) as EndpointTag[]).some((tag) => tagSlug(tag) === slug);
}

/** A request or response header, as the OpenAPI document shows it. */
export type HeaderDeclaration = { description: string; schema: { type: string; [key: string]: unknown } };

type BodyDeclaration = { type: string; schema: z.ZodType; example: unknown };

/** A success response of an endpoint; `body` is absent if it has none. */
export type ResponseDeclaration = {
  description: string;
  headers?: Record<string, HeaderDeclaration>;
  body?: BodyDeclaration;
  /** Bodies of other types, which the request or the recording can decide. */
  otherBodies?: readonly BodyDeclaration[];
};

/** Declares a response with JSON. */
export const jsonResponse = (description: string, schema: z.ZodType, example: unknown) => ({
  description,
  body: { type: "application/json", schema, example },
});

/** Declares a body of text: a page, or a stream. */
export const textBody = (type: string, example: string): BodyDeclaration => ({ type, schema: z.string(), example });

/** Declares a stream of server-sent events. */
export const eventStreamBody = (example: string) => textBody("text/event-stream", example);

/** Declares a page. */
export const pageBody = textBody("text/html", "<!doctype html>…");

export type ErrorType = "application/json" | "text/html";

/** `tapedeck`, or the provider whose format an endpoint's errors have. */
export type ErrorShape = "tapedeck" | "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "ollama" | "http";

/** The public declaration of an endpoint; validation, types, the OpenAPI document and the docs are derived from it. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> = {
  /** `operationId` in the OpenAPI document: a verb and a noun. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path in OpenAPI notation, such as `/api/v1/replay/{vertical}/{cookbook}`. */
  path: string;
  tag: EndpointTag;
  summary: string;
  description: string;
  /** How `Authorization` is treated: `none` ignores it; the other two reject an invalid key. */
  auth: "none" | "optional" | "required";
  /** With `auth: "none"`: the response includes what the key's account owns, and an invalid key, which has our prefix, is rejected. */
  recognizesKey?: true;
  /** The lowest tier that is served, and the error code for lower ones. */
  minimumTier?: { tier: "starter" | "pro"; code: "unauthorized" | "forbidden" };
  /** Whether requests count towards the daily limit. */
  limited?: true;
  /** Requests above the daily limit are answered too, a few per minute: the endpoint manages keys or payment. */
  servedAtLimit?: true;
  params?: Params;
  /** Error code for an invalid path parameter. Default: `not_found`. */
  paramsErrorCode?: "not_found" | "bad_request";
  query?: Query;
  /** Whether a query parameter without a value counts as absent, as in the address that a form makes. */
  ignoresEmptyQuery?: boolean;
  requestHeaders?: Record<string, HeaderDeclaration>;
  body?: Body;
  /** The verb receives the raw bytes, up to this size; `body` is then only documentation. */
  rawBodyByteSize?: number;
  bodyExample?: unknown;
  responses: Readonly<Record<number, ResponseDeclaration>>;
  /** Errors of the endpoint itself, and when they occur; those of key, limit and tier are derived from the fields above. */
  errors: Partial<Record<ErrorCode, string>>;
  /** When an error has another status than those of `errors`. */
  otherErrors?: string;
  errorShape?: ErrorShape;
  /** The types of errors that are sent as a page, always or to a form. Default: JSON. */
  errorTypes?: Partial<Record<ErrorCode, readonly ErrorType[]>>;
  /** How long an answer can take on a platform that limits it, such as Vercel, in seconds. Default: the platform's. */
  maxDurationSeconds?: 60 | 300;
  /**
   * `Cache-Control` of a success response; it also decides whether an ETag is sent (not with `no-cache` or `no-store`).
   * Default: GET responses are revalidated on each use, and are private if the endpoint accepts a key; others are not
   * stored.
   */
  cacheControl?: string;
};

/** Returns the declaration unchanged, with its literal types. */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(endpoint: Endpoint<Params, Query, Body>): Endpoint<Params, Query, Body> {
  return endpoint;
}

/** What a verb receives from a request that passed validation. */
export type InputOf<E> =
  E extends Endpoint<infer Params, infer Query, infer Body>
    ? {
        params: z.output<Params>;
        query: z.output<Query>;
        body: z.output<Body>;
        /** Raw bytes of the body; empty if the endpoint takes none. */
        rawBody: Uint8Array;
        header: (name: string) => string | null;
        headers: () => Headers;
        /** Aborted when the client disconnects. */
        signal: () => AbortSignal;
      }
    : never;
