import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Adds the headers with which a browser lets a page of an origin read the answer, in place of those of the answer. */
export function letPageRead(origin: string, response: ServerResponse): void {
  const added = { "access-control-allow-origin": origin, "access-control-expose-headers": "*", vary: "origin" };
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status: number, headers?: unknown) =>
    writeHead(status, { ...(headers as OutgoingHttpHeaders | undefined), ...added });
}

/** Whether a browser asks if a page may send a request. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Answers that a page may send its request. */
export function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(204, {
    "access-control-allow-methods": headers["access-control-request-method"],
    "access-control-allow-headers": headers["access-control-request-headers"] ?? "*",
    // A page that is not on this machine needs it too.
    "access-control-allow-private-network": "true",
  });
  response.end();
}
