import { afterEach, beforeEach } from "vitest";
import { type Mode, RecordingProxy, readConfig } from "#lib/replay/recording-proxy/index";
import type { Json, Protocol } from "./conversation-protocols";
import { type Answer, type ProviderDouble, startProvider } from "./provider-double";
import { ask, type Received, upstreamNames } from "./tape-conversations";
import { temporaryFolder } from "./temporary-folder";

/** Where a run was started. */
type Place = { folder: string; home: string; temporary?: string | undefined };

/** A port that nothing listens at. */
const noUpstream = "http://127.0.0.1:9";

/** A proxy whose upstreams are all the provider on the loopback, with its tapes in a temporary folder. */
export type TestProxy = {
  readonly folder: string;
  readonly server: ProviderDouble;
  readonly proxy: RecordingProxy;
  /** Starts a provider in place of the one before. Its origin is that of proxies which start after it. */
  serve(...answers: Answer[]): Promise<ProviderDouble>;
  disconnect(): Promise<void>;
  /** Stops the proxies that were started before. */
  start(mode: Mode, change?: Json, warn?: (text: string) => void, place?: Place): Promise<RecordingProxy>;
  /** Starts a proxy beside those that run. */
  open(mode: Mode, change?: Json): Promise<RecordingProxy>;
  /** Sends a request of a test. */
  send(protocol: Protocol, test: string, body: Json, headers?: Record<string, string>): Promise<Received>;
};

/** Call once per test file. */
export function setUpProxy(): TestProxy {
  let folder = "";
  let server: ProviderDouble | undefined;
  let proxies: RecordingProxy[] = [];
  const stop = async () => {
    for (const proxy of proxies) await proxy.stop();
    proxies = [];
  };
  const disconnect = async () => {
    await server?.close();
    server = undefined;
  };
  beforeEach(() => {
    server = undefined;
    folder = temporaryFolder();
  });
  afterEach(stop);
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("It was not started.");
    return value;
  };
  const open = async (mode: Mode, change: Json = {}, warn?: (text: string) => void, place?: Place) => {
    const origin = server?.origin ?? noUpstream;
    const variables = Object.values(upstreamNames).map(([, variable]) => [variable, origin]);
    // Ollama's variable usually has no scheme.
    const environment = { ...Object.fromEntries(variables), OLLAMA_HOST: new URL(origin).host };
    const config = { ...(await readConfig(folder)), ...change };
    const proxy = await RecordingProxy.start({ config, mode, environment, warn, ...(place && { place }) });
    proxies.push(proxy);
    return proxy;
  };
  return {
    get folder() {
      return folder;
    },
    get server() {
      return required(server);
    },
    get proxy() {
      return required(proxies.at(-1));
    },
    serve: async (...answers) => {
      await disconnect();
      server = await startProvider(...answers);
      return server;
    },
    disconnect,
    start: async (mode, change, warn, place) => {
      await stop();
      return open(mode, change, warn, place);
    },
    open,
    send: (protocol, test, body, headers) => ask(protocol, required(proxies.at(-1)).urlOf(test), body, headers),
  };
}
