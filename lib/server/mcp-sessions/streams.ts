import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { onWakeup } from "#lib/platform/database/wakeups";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import type { Session } from "./session";
import { readStreams, takeStream, touchStreams } from "./store";

/** Most streams that one instance keeps open. */
export const maxStreamCount = 1_000;
/** Most notifications that one look brings for one stream. */
const batchSize = 100;
const touchIntervalMs = 60_000;

/** A notification on its way to a client. */
export type Arrival = { id: bigint; topic: string };

export type OpenStream = { sessionId: string; streamId: string; position: bigint };
/** What a look at the database found for a stream. */
export type StreamView = { streamId: string; newest: bigint; notifications: Arrival[] };

type Listener = {
  /** Gets what is new, oldest first. */
  onArrival: (arrival: Arrival) => void;
  /** Another stream took over, or the session has ended. */
  onEnd: () => void;
};

type StreamContext = { database: Database; clock: Clock; log: Log };
type Entry = OpenStream & Listener;

/** The open notification streams of this instance. One look at the database serves all of them. */
class Streams {
  readonly #entries = new Map<string, Entry>();
  #context: StreamContext | undefined;
  #forget: (() => void) | undefined;
  #touchedMs = 0;
  #isLooking = false;
  #isStale = false;

  get size(): number {
    return this.#entries.size;
  }

  add(context: StreamContext, entry: Entry): void {
    this.#context = context;
    this.#entries.set(entry.streamId, entry);
    if (!this.#forget) {
      this.#touchedMs = context.clock.monotonicMs();
      this.#forget = onWakeup(() => void this.look());
    }
    void this.look();
  }

  delete(streamId: string): void {
    this.#entries.delete(streamId);
    if (this.#entries.size > 0) return;
    this.#forget?.();
    this.#forget = undefined;
  }

  async look(): Promise<void> {
    this.#isStale = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isStale && this.#entries.size > 0) {
      this.#isStale = false;
      await this.#lookOnce().catch((error) => this.#context?.log.warn({ err: error }, "streams cannot be read now"));
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const { database, clock } = this.#context as StreamContext;
    const asked = [...this.#entries.values()];
    const views = await readStreams(database, asked, batchSize);
    const found = new Map(views.map((view) => [view.streamId, view]));
    for (const entry of asked) {
      const view = found.get(entry.streamId);
      if (view) this.#bring(entry, view);
      else entry.onEnd();
    }
    if (clock.monotonicMs() - this.#touchedMs < touchIntervalMs) return;
    this.#touchedMs = clock.monotonicMs();
    await touchStreams(
      database,
      asked.map(({ sessionId }) => sessionId),
      clock.now(),
    );
  }

  #bring(entry: Entry, { newest, notifications }: StreamView): void {
    for (const arrival of notifications) entry.onArrival(arrival);
    const isWhole = notifications.length < batchSize;
    entry.position = isWhole ? newest : (notifications.at(-1) as Arrival).id;
    if (!isWhole) this.#isStale = true;
  }
}

const streams = () => processSingleton("sessionStreams", () => new Streams());

/**
 * Opens the stream of a session's notifications: those after `arrivedUpTo`, else those that no earlier stream is known
 * to have brought. The stream before ends. Gives what closes it; null where the session has ended meanwhile. Throws
 * AppError service_unavailable where the instance has too many.
 */
export async function openStream(
  context: StreamContext,
  session: Session,
  { arrivedUpTo, ...listener }: Listener & { arrivedUpTo: bigint | null },
): Promise<(() => void) | null> {
  if (streams().size >= maxStreamCount) {
    throw new AppError("service_unavailable", "Too many streams are open here. Try again in a minute.", {
      headers: { "Retry-After": "60" },
    });
  }
  const streamId = crypto.randomUUID();
  const position = await takeStream(context.database, { sessionId: session.id, streamId, arrivedUpTo });
  if (position === null) return null;
  streams().add(context, { sessionId: session.id, streamId, position, ...listener });
  return () => streams().delete(streamId);
}
