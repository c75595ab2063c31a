import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { catalogue } from "#lib/replay/cassettes/index";
import type { Group } from "./http/bindings";
import { connectionBounds } from "./http/client-bounds";
import { boundConnections } from "./http/connection-bounds";
import { handlerBeforeNext } from "./http/node-server";
import { trackPageResponses } from "./http/page-response";
import { trustsProxy } from "./http/request";
import { startProcessMetrics } from "./metrics/index";

/** Bounds the connections to this server. Behind a trusted proxy, all come from the proxy, and only their total counts. */
function boundServer(server: Server): void {
  const { max } = connectionBounds;
  const isProxied = trustsProxy(config());
  boundConnections(server, isProxied ? { max, maxPerNetwork: max, maxForLoopback: max } : connectionBounds);
}

/** From now on the server is not ready (`lib/server/health`). */
function beginStop(stop: { requests: number; graceS: number }): void {
  processSingleton("is-stopping", () => true);
  log().info(stop, "stopping: no new connections, and the requests in progress have graceS seconds to end");
}

/** Longest time that the start waits for the catalogue, in milliseconds. With an index on disk, it takes a part of this. */
const maxCatalogueWaitMs = 1_000;

/**
 * Checks the configuration, and registers for `server.mjs` the handler that runs before Next and the bound of connections.
 * Before that, loads the bindings, and the catalogue if this is fast: requests wait for that in `server.mjs`. Throws ConfigError.
 */
export async function startServer(groups: readonly Group[]): Promise<void> {
  if (config().METRICS_TOKEN !== undefined) startProcessMetrics();
  trackPageResponses();
  const bindings = Promise.allSettled(groups.map(({ load }) => load()));
  const listed = catalogue()
    .list()
    .catch(() => undefined);
  await bindings;
  await Promise.race([listed, sleep(maxCatalogueWaitMs, undefined, { ref: false })]);
  processSingleton("answer-before-next", () => handlerBeforeNext(groups));
  processSingleton("begin-stop", () => beginStop);
  processSingleton("bound-connections", () => boundServer);
}
