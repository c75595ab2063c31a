import { AppError } from "#lib/platform/errors";
import { answer, findGroup, type Group } from "./bindings";
import { currentResponse } from "./page-response";
import { refuse, tapedeckErrors, toResponse } from "./reply";

async function readBody(request: Request, limit: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) return null;
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of request.body ?? []) {
    byteSize += part.byteLength;
    if (byteSize > limit) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

type RouteHandler = (request: Request) => Promise<Response>;

/** Returns the handlers of a catch-all route, which answer like the server in front of Next: on Vercel and in development. */
export function routes(groups: readonly Group[]) {
  const handler: RouteHandler = async (request) => {
    const { pathname, search } = new URL(request.url);
    const target = `${pathname}${search}`;
    const view = {
      method: request.method,
      target,
      header: (name: string) => request.headers.get(name),
      headers: () => new Headers(request.headers),
      // Next itself never terminates TLS; the platform's proxy sets X-Forwarded-Proto.
      encrypted: false,
      signal: () => request.signal,
      readBody: (limit: number) => readBody(request, limit),
    };
    const group = findGroup(groups, target);
    const reply = group ? await answer(group, view) : refuse(new AppError("not_found", tapedeckErrors.notFound));
    const response = currentResponse();
    // Next.js also asks for a path on behalf of a request for another one: of an image.
    const isForPath = response?.req.url === target;
    return toResponse(reply, request.method === "HEAD", isForPath ? response : undefined);
  };
  return {
    GET: handler,
    HEAD: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
    OPTIONS: handler,
  };
}
