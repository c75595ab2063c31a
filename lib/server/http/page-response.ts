import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { processSingleton } from "#lib/platform/process-singleton";

/**
 * Lets a page set the status of its response. Next.js has no function for it: `notFound()` sets 404, but then sends an empty
 * document that only its script fills, and nothing sets 503. So the Node.js response is kept with the request's context;
 * a route handler writes replays to it.
 */

/** Weak, because connections to the database and other long-lived objects keep the context in which they were created. */
type Store = AsyncLocalStorage<WeakRef<ServerResponse>>;

const responses = () => processSingleton<Store>("page-response", () => new AsyncLocalStorage());

/** Returns the response of the current request; undefined if it is not known. */
export const currentResponse = (): ServerResponse | undefined => responses().getStore()?.deref();

/** Calls `render` in a context in which `setPageStatus` applies to this response. */
export function withPageResponse(response: ServerResponse, render: () => void): void {
  responses().run(new WeakRef(response), render);
}

/**
 * Makes `setPageStatus` apply to the response of each request from now on, on any HTTP server of this process: with
 * `next start` and on Vercel, no code of ours calls Next.js.
 */
export function trackPageResponses(): void {
  processSingleton("page-response-channel", () => {
    subscribe("http.server.request.start", (message) => {
      const { response } = message as { response: ServerResponse };
      responses().enterWith(new WeakRef(response));
    });
    return true;
  });
}

const partialPages = () => processSingleton("partial-pages", () => new WeakSet<ServerResponse>());

/** Notes that the current page is shown without something that could not be loaded, so that it is not kept for others. */
export function markPartial(): void {
  const response = currentResponse();
  if (response) partialPages().add(response);
}

export const isPartial = (response: ServerResponse): boolean => partialPages().has(response);

/**
 * Sets the status and headers of the current page's response. Returns false if they can no longer be changed, or if the
 * response is unknown: its request began before `trackPageResponses`, or its server does not publish requests.
 */
export function setPageStatus(status: number, headers: Readonly<Record<string, string>> = {}): boolean {
  const response = currentResponse();
  if (!response || response.headersSent) return false;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return true;
}
