import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { catalogue } from "#lib/replay/cassettes/index";
import { answerBeforeNext } from "./node-server";
import { pathOf } from "./request-view";

/** Name under which `server.mjs` finds what answers before Next. */
const adapterName = "answer-before-next";

/** Checks the configuration, starts loading the catalogue, and registers what answers before Next. Throws ConfigError. */
export function startServer(): void {
  config();
  processSingleton(adapterName, () => answerBeforeNext);
  catalogue()
    .list()
    .catch(() => undefined);
}

export function logRequestError(error: unknown, { method, path }: { path: string; method: string }): void {
  log().error({ err: error, method, path: pathOf(path) }, "a request failed outside its endpoint");
}
