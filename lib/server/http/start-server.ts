import type { Endpoint } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { catalogue } from "#lib/replay/cassettes/index";
import { installConformanceExtension } from "#lib/server/mcp/index";
import { handlerBeforeNext } from "./node-server";
import { pathOf } from "./request-view";

/** Name under which `server.mjs` finds the handler that runs before Next. */
const handlerName = "answer-before-next";

/**
 * Checks the configuration, registers the handler that runs before Next, and starts to load the catalogue. `endpoints`
 * lists all endpoints. Throws ConfigError.
 */
export async function startServer(endpoints: readonly Endpoint[]): Promise<void> {
  if (config().MCP_CONFORMANCE_FIXTURES !== undefined) {
    await installConformanceExtension();
  }
  processSingleton(handlerName, () => handlerBeforeNext(endpoints));
  catalogue()
    .list()
    .catch(() => undefined);
}

export function logRequestError(error: unknown, { method, path }: { path: string; method: string }): void {
  log().error({ err: error, method, path: pathOf(path) }, "request failed outside of its endpoint");
}
