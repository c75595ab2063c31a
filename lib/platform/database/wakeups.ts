import { Client } from "pg";
import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";

/** Channel on which instances tell each other that something waits in the database. */
export const wakeChannel = "tapedeck";
/** Time between two looks, in milliseconds, also while nobody wakes us: a pooler may not pass notifications on. */
const pollIntervalMs = 2_000;
const reconnectAfterMs = 5_000;
const connectTimeoutMs = 3_000;

type Listener = () => void;

/** Calls its listeners when another instance wakes this one, and every two seconds. Idle without listeners. */
class Wakeups {
  readonly #listeners = new Set<Listener>();
  #client: Client | undefined;
  #poll: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #isLost = false;

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop();
    };
  }

  readonly #wake = () => {
    for (const listener of this.#listeners) listener();
  };

  #start(): void {
    this.#poll = setInterval(this.#wake, pollIntervalMs);
    this.#poll.unref();
    void this.#connect();
  }

  #stop(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#reconnect);
    const client = this.#client;
    this.#client = undefined;
    client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { DATABASE_URL: connectionString } = config();
    const client = new Client({ connectionString, connectionTimeoutMillis: connectTimeoutMs });
    this.#client = client;
    client.on("notification", this.#wake);
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${wakeChannel}`);
      if (this.#isLost) log().info("instances wake each other again");
      this.#isLost = false;
      this.#wake();
    } catch {
      this.#lose(client);
    }
  }

  /** Goes on by polling alone and tries again; a client that was ended on purpose is no loss. */
  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    if (!this.#isLost)
      log().warn(`the wake-up connection to the database was lost; looking every ${pollIntervalMs} ms`);
    this.#isLost = true;
    this.#reconnect = setTimeout(() => void this.#connect(), reconnectAfterMs);
    this.#reconnect.unref();
  }
}

/** Calls a listener whenever there may be something new; gives what ends that. The listener must not throw. */
export function onWakeup(listener: Listener): () => void {
  return processSingleton("wakeups", () => new Wakeups()).add(listener);
}
