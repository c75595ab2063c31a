import type { Client } from "undici";

/** Shared: creating an error with its stack for each closed connection would cost more than the request. */
const connectionClosed = new Error("the connection was closed");

export const closeConnection = (client: Client) => client.destroy(connectionClosed);

/** Idle connections of one task, each for the next request to the same origin at the same checked addresses. */
export class Connections {
  readonly #idle = new Map<string, Client>();

  take(target: string): Client | undefined {
    const client = this.#idle.get(target);
    this.#idle.delete(target);
    return client;
  }

  /** Keeps a connection until it is taken or all are closed. */
  async keep(target: string, client: Client): Promise<void> {
    const other = this.take(target);
    this.#idle.set(target, client);
    if (other) await closeConnection(other);
  }

  /** Closes the idle connections. */
  async close(): Promise<void> {
    const clients = [...this.#idle.values()];
    this.#idle.clear();
    await Promise.all(clients.map(closeConnection));
  }
}
