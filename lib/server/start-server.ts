import type { Server } from "node:http";
import { config } from "#lib/platform/config";
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

/**
 * Checks the configuration, and registers for `server.mjs` the handler that runs before Next and the bound of connections.
 * Starts to load the catalogue and the bindings, so that no request waits for them. Throws ConfigError.
 */
export function startServer(groups: readonly Group[]): void {
  if (config().METRICS_TOKEN !== undefined) startProcessMetrics();
  trackPageResponses();
  processSingleton("answer-before-next", () => handlerBeforeNext(groups));
  processSingleton("bound-connections", () => boundServer);
  const loading = [catalogue().list(), ...groups.map(({ load }) => load())];
  for (const each of loading) each.catch(() => undefined);
}
