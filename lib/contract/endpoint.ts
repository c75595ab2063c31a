import type { z } from "zod";
import type { ErrorCode } from "#lib/platform/errors";

/** What the document and the docs group endpoints by, in the words of the document. */
export const endpointTags = {
  Replay: "Recorded model responses, streamed as they came.",
  "Drop-in": "The provider's own protocol, answered from cassettes.",
  Fleet: "The family of sites.",
  Vendors: "What vendors publish for agents in their llms.txt files, and what changed there.",
  Webhooks: "Who is told of changes of high significance, and what became of it.",
  "Keys and billing": "API keys, and what the tiers cost and include.",
  MCP: "The Model Context Protocol, for agents.",
  Operations: "Whether the service and its jobs run.",
  Discovery: "Machine-readable descriptions of the service.",
} as const;

export type EndpointTag = keyof typeof endpointTags;

/** A tag's name in addresses: `keys-and-billing`. */
export function tagSlug(tag: EndpointTag): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** Whether a tag goes by that name in addresses. */
export function isTagSlug(slug: string): boolean {
  return (Object.keys(endpointTags) as EndpointTag[]).some((tag) => tagSlug(tag) === slug);
}

/** A header of an answer, for the document. */
export type HeaderDeclaration = { description: string; schema: { type: string; [key: string]: unknown } };

/** One success answer of an endpoint. `body` is absent where there is none. */
export type AnswerDeclaration = {
  description: string;
  headers?: Record<string, HeaderDeclaration>;
  body?: { type: string; schema: z.ZodType; example: unknown };
};

export type ErrorShape = "tapedeck" | "anthropic";

/** Everything that is public about an endpoint; validation, types, the document and the docs come from here. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> = {
  /** `operationId` in the document: a verb and a noun. */
  id: string;
  method: "GET" | "POST" | "DELETE";
  /** Path as the document writes it, such as `/api/v1/replay/{vertical}/{cookbook}`. */
  path: string;
  tag: EndpointTag;
  summary: string;
  description: string;
  /** What the endpoint does with `Authorization`; `none` ignores the header, the others refuse a broken key. */
  auth: "none" | "optional" | "required";
  /** The lowest tier that is served, and the code that a lower one gets. */
  minimumTier?: { tier: "starter" | "pro"; code: "unauthorized" | "forbidden" };
  /** Whether its requests count towards the daily limit. */
  limited?: true;
  params?: Params;
  /** Code that a path parameter of the wrong form gets: most are simply not found. */
  paramsErrorCode?: "not_found" | "bad_request";
  query?: Query;
  requestHeaders?: Record<string, HeaderDeclaration>;
  body?: Body;
  /** Instead of `body`: the bytes go to the verb as they are, up to this size. */
  rawBodyByteSize?: number;
  bodyExample?: unknown;
  answers: Readonly<Record<number, AnswerDeclaration>>;
  /** The errors that the endpoint itself can give, and when; those of key, limit and tier follow from the above. */
  errors: Partial<Record<ErrorCode, string>>;
  errorShape?: ErrorShape;
  /**
   * `Cache-Control` of a success; also decides whether an ETag is sent (not with `no-cache`, `no-store`). Default: a
   * GET is revalidated each time, privately where a key can be sent; anything else is not stored.
   */
  cacheControl?: string;
};

/** Keeps the literal types of a declaration. */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(endpoint: Endpoint<Params, Query, Body>): Endpoint<Params, Query, Body> {
  return endpoint;
}

/** What a verb receives from a request that passed its declaration. */
export type InputOf<E> =
  E extends Endpoint<infer Params, infer Query, infer Body>
    ? {
        params: z.output<Params>;
        query: z.output<Query>;
        body: z.output<Body>;
        /** The body's bytes, empty where the endpoint takes none. */
        rawBody: Uint8Array;
        header: (name: string) => string | null;
        headers: () => Headers;
        /** Aborted when the client goes away. */
        signal: () => AbortSignal;
      }
    : never;
