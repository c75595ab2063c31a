import { Client } from "pg";
import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";

/** The NOTIFY channel on which instances signal each other that there are new rows. */
export const notifyChannel = "tapedeck";
/** Interval of polling, in milliseconds, in addition to notifications, which a connection pooler may not forward. */
const pollIntervalMs = 2_000;
const reconnectAfterMs = 5_000;
const connectTimeoutMs = 3_000;

type Listener = () => void;

/** Calls its listeners on notifications of other instances, and every two seconds. Idle without listeners. */
class NotifyListener {
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
    const client = new Client({
      connectionString,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
    });
    this.#client = client;
    client.on("notification", this.#wake);
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${notifyChannel}`);
      if (this.#isLost) log().info("notifications from the database work again");
      this.#isLost = false;
      this.#wake();
    } catch {
      this.#lose(client);
    }
  }

  /** Falls back to polling and reconnects, unless the client was closed on purpose. */
  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    if (!this.#isLost) log().warn(`lost the connection for notifications; polling every ${pollIntervalMs} ms`);
    this.#isLost = true;
    this.#reconnect = setTimeout(() => void this.#connect(), reconnectAfterMs);
    this.#reconnect.unref();
  }
}

/** Calls a listener whenever there may be new rows. Returns a function that stops it. The listener must not throw. */
export function onNotify(listener: Listener): () => void {
  return processSingleton("notifyListener", () => new NotifyListener()).add(listener);
}
