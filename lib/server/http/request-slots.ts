import type { IncomingMessage, ServerResponse } from "node:http";
import { ClientSlots } from "#lib/platform/client-slots";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { networkBoundOf } from "./client-network";
import { connectionBounds } from "./connection-bounds";
import { errorShapeOf, refuse } from "./error-reply";
import type { Reply } from "./reply";
import { pathOf } from "./request-view";

/** Maximum requests in progress, open streams included, of one client network. */
export const requestBounds = { maxPerNetwork: 1_000, maxForLoopback: connectionBounds.maxForLoopback };

/** Bounds the requests in progress of each client network, also behind a trusted proxy, where connections cannot tell. */
export class RequestSlots {
  readonly #slots = new ClientSlots({ max: connectionBounds.max, maxPerClient: requestBounds.maxPerNetwork });

  /** Takes a slot until the response closes. Returns a 503 if the client has no slot left, else undefined. */
  take(address: string | null, { url = "", headers }: IncomingMessage, response: ServerResponse): Reply | undefined {
    const { network, max } = networkBoundOf(address, requestBounds);
    const free = this.#slots.take(network, max);
    if (free) {
      response.once("close", free);
      return undefined;
    }
    observer()?.refused("open_requests");
    const message = `At most ${max} requests and streams of one client can be open. Close some, or try again in a minute.`;
    const error = new AppError("service_unavailable", message, { headers: { "Retry-After": "60" } });
    return refuse(
      error,
      errorShapeOf(pathOf(url), (name) => headers[name]?.toString() ?? null),
    );
  }
}
