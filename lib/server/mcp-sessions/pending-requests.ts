import { type Follower, follow } from "#lib/server/notifications/index";
import { deletePendingRequests, insertPendingRequest, takeResponses } from "./store";
import type { Session, WaitContext } from "./types";

/** Requests to a client whose responses may reach another instance. */
export class PendingRequests {
  readonly #context: WaitContext;
  readonly #session: Session;
  readonly #onResponse: (message: unknown) => void;
  readonly #waiting = new Set<string>();
  #follower: Follower | undefined;

  constructor(context: WaitContext, session: Session, onResponse: (message: unknown) => void) {
    this.#context = context;
    this.#session = session;
    this.#onResponse = onResponse;
  }

  /** Stores a request before it is sent. */
  async add(requestId: string): Promise<void> {
    const { database, clock } = this.#context;
    await insertPendingRequest(database, { sessionId: this.#session.id, requestId, createdAt: clock.now() });
    this.#waiting.add(requestId);
    const messages = {
      failed: "could not read responses of MCP clients",
      works: "responses of MCP clients are read again",
    };
    this.#follower ??= follow({ log: this.#context.log, messages, read: () => this.#read() });
  }

  /** Stops waiting, and deletes the requests without a response. */
  async close(): Promise<void> {
    this.#follower?.stop();
    this.#follower = undefined;
    const left = [...this.#waiting];
    this.#waiting.clear();
    if (left.length > 0) await deletePendingRequests(this.#context.database, this.#session.id, left);
  }

  async #read(): Promise<boolean> {
    if (this.#waiting.size === 0) return false;
    const responses = await takeResponses(this.#context.database, this.#session.id, [...this.#waiting]);
    for (const { requestId, message } of responses) {
      this.#waiting.delete(requestId);
      this.#onResponse(message);
    }
    return false;
  }
}
