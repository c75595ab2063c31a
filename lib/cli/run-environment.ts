import { childEnvironment } from "#lib/platform/config";
import { coversModelHost, interceptedEnvironment } from "#lib/replay/interception/index";
import {
  clientEnvironment,
  type Mode,
  placeholderKeys,
  type RecordingProxy,
  readHosts,
} from "#lib/replay/recording-proxy/index";
import type { CommandIo } from "./io";

/** Returns the environment that sends the requests of a command to the proxy. */
export async function environmentFor(proxy: RecordingProxy, mode: Mode) {
  const environment = childEnvironment();
  const { origin, hosts } = proxy;
  const intercepted = await interceptedEnvironment(environment, {
    origin,
    baseUrls: clientEnvironment(origin),
    hosts,
    certificate: proxy.certificate,
  });
  const variables: NodeJS.ProcessEnv = {
    ...environment,
    ...intercepted.variables,
    ...(mode === "live" ? {} : placeholderKeys(environment, await readHosts(proxy.tapes))),
    TAPEDECK_TOKEN: proxy.token,
    TAPEDECK_FOLDER: process.cwd(),
  };
  return { ...intercepted, variables };
}

/** Variables that name a proxy of the user's. */
const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** Says that a proxy of the user's is not asked: what is recorded comes from the providers directly. */
export function warnOfProxy(mode: Mode, io: CommandIo): void {
  const environment = childEnvironment();
  const names = proxyVariables.filter((name) => environment[name]);
  if (mode === "replay" || names.length === 0) return;
  io.stderr.write(
    `tapedeck: The proxy in ${names.join(", ")} is not used: the command gets the recording proxy in its place, which asks servers directly.\n`,
  );
}

/** Says which entries of NO_PROXY keep calls of models from the recorder. */
export function warnOfExcluded(mode: Mode, { hosts }: RecordingProxy, io: CommandIo): void {
  const { NO_PROXY, no_proxy } = childEnvironment();
  const entries = (NO_PROXY ?? no_proxy ?? "").split(",").filter((entry) => coversModelHost(entry, hosts));
  if (mode === "live" || entries.length === 0) return;
  io.stderr.write(
    `tapedeck: NO_PROXY has ${entries.map((entry) => entry.trim()).join(", ")}: calls of models there are neither recorded nor replayed.\n`,
  );
}
