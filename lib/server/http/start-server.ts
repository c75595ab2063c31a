import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { isDisconnect, logFailure } from "#lib/platform/log-failure";
import { processSingleton } from "#lib/platform/process-singleton";
import { catalogue } from "#lib/replay/cassettes/index";
import { installConformanceExtension } from "#lib/server/mcp/index";
import { answerBeforeNext } from "./node-server";
import { pathOf } from "./request-view";

/** Name under which `server.mjs` finds the handler that runs before Next. */
const handlerName = "answer-before-next";

/** Checks the configuration, registers the handler that runs before Next, and starts to load the catalogue. Throws ConfigError. */
export async function startServer(): Promise<void> {
  if (config().MCP_CONFORMANCE_FIXTURES !== undefined) {
    await installConformanceExtension();
  }
  processSingleton(handlerName, () => answerBeforeNext);
  catalogue()
    .list()
    .catch(() => undefined);
}

export function logRequestError(error: unknown, { method, path }: { path: string; method: string }): void {
  const fields = { method, path: pathOf(path) };
  if (isDisconnect(error)) log().debug({ ...fields, reason: (error as Error).message }, "response was cut off");
  else logFailure(log(), error, fields, "request failed outside of its endpoint");
}
