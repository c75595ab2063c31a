import type { Endpoint, HeaderDeclaration } from "#lib/contract/endpoint";

type Headers = Record<string, HeaderDeclaration>;

const requestIdHeader: Headers = {
  "X-Request-Id": { description: "Id of the request, also in the log.", schema: { type: "string", format: "uuid" } },
};

const limitHeaders: Headers = {
  "X-RateLimit-Limit": {
    description: "Requests a day. The three headers are absent where nothing limits the request.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Remaining": { description: "Requests that are left today.", schema: { type: "integer" } },
  "X-RateLimit-Reset": {
    description: "When the limit resets, in Unix seconds: the next midnight UTC.",
    schema: { type: "integer" },
  },
};

const headersByStatus: Record<number, Headers> = {
  401: { "WWW-Authenticate": { description: "`Bearer`.", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds until the limit resets.", schema: { type: "integer" } } },
};

/** Headers that an answer of an endpoint carries by its declaration and status. */
export function answerHeaders({ limited }: Endpoint, status: number): Headers {
  return { ...requestIdHeader, ...(limited ? limitHeaders : {}), ...headersByStatus[status] };
}
