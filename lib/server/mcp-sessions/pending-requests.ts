import type { Database } from "#lib/platform/database/index";
import { onNotify } from "#lib/platform/database/notify-listener";
import { deletePendingRequests, insertPendingRequest, storeResponse, takeResponses } from "./store";
import type { Session, WaitContext } from "./types";

/** Passes a client's response to the instance that sent the request. Drops it if no request is waiting for it. */
export async function deliverResponse(
  { database }: { database: Database },
  session: Session,
  { requestId, message }: { requestId: string; message: unknown },
): Promise<void> {
  await storeResponse(database, { sessionId: session.id, requestId, message });
}

/** Requests to a client whose responses may reach another instance. */
export class PendingRequests {
  readonly #context: WaitContext;
  readonly #session: Session;
  readonly #onResponse: (message: unknown) => void;
  readonly #waiting = new Set<string>();
  #stopListening: (() => void) | undefined;
  #isReading = false;

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
    this.#stopListening ??= onNotify(() => void this.#read());
  }

  /** Stops waiting, and deletes the requests without a response. */
  async close(): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = undefined;
    const left = [...this.#waiting];
    this.#waiting.clear();
    if (left.length > 0) await deletePendingRequests(this.#context.database, this.#session.id, left);
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#waiting.size === 0) return;
    this.#isReading = true;
    try {
      const responses = await takeResponses(this.#context.database, this.#session.id, [...this.#waiting]);
      for (const { requestId, message } of responses) {
        this.#waiting.delete(requestId);
        this.#onResponse(message);
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "could not read responses of MCP clients");
    } finally {
      this.#isReading = false;
    }
  }
}
