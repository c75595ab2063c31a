import type { Server } from "node:http";
import type { Endpoint } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { processSingleton } from "#lib/platform/process-singleton";
import { catalogue } from "#lib/replay/cassettes/index";
import { installConformanceExtension } from "#lib/server/mcp/index";
import { boundConnections, connectionBounds } from "./connection-bounds";
import { trustsProxy } from "./forwarded-headers";
import { handlerBeforeNext } from "./node-server";
import { trackPageResponses } from "./page-response";

/** Names under which `server.mjs` finds the handler that runs before Next, and the function that bounds connections. */
const handlerName = "answer-before-next";
const boundName = "bound-connections";

/** Bounds the connections to this server. Behind a trusted proxy, all come from the proxy, and only their total counts. */
function boundServer(server: Server): void {
  const { max } = connectionBounds;
  const isProxied = trustsProxy(config());
  boundConnections(server, isProxied ? { max, maxPerNetwork: max, maxForLoopback: max } : connectionBounds);
}

/**
 * Checks the configuration, registers the handler that runs before Next and the bound of connections, and starts to load
 * the catalogue. `endpoints` lists all endpoints. Throws ConfigError.
 */
export async function startServer(endpoints: readonly Endpoint[]): Promise<void> {
  if (config().MCP_CONFORMANCE_FIXTURES !== undefined) {
    await installConformanceExtension();
  }
  if (config().METRICS_TOKEN !== undefined) {
    const { startProcessMetrics } = await import("#lib/server/metrics/index");
    startProcessMetrics();
  }
  trackPageResponses();
  processSingleton(handlerName, () => handlerBeforeNext(endpoints));
  processSingleton(boundName, () => boundServer);
  catalogue()
    .list()
    .catch(() => undefined);
}
