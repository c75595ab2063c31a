import { nameCommand, npxCommand } from "#lib/platform/command-line";
import { childEnvironment } from "#lib/platform/config";
import { placeholderKeys, RecordingProxy, readConfig } from "#lib/replay/recording-proxy/index";

/** Starts the proxy of a pytest process for the tapes of the working directory. Returns what pytest reads. */
async function start(): Promise<object> {
  const environment = childEnvironment();
  const config = await readConfig(process.cwd());
  const { origin, token } = await RecordingProxy.start({ config, mode: "replay", environment });
  return { origin, token, keys: placeholderKeys(environment) };
}

nameCommand(() => npxCommand("@tapedeck/testing", "tapedeck"));
// Ctrl-C ends pytest, which still asks for its reports before it closes the input.
process.on("SIGINT", () => undefined);
process.stdin.on("close", () => process.exit()).resume();
start()
  .catch((error: Error) => ({ error: error.message }))
  .then((started) => process.stdout.write(`${JSON.stringify(started)}\n`));
