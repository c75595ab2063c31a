import { processSingleton } from "#lib/platform/process-singleton";
import { minuteMs } from "#lib/platform/time";
import { type Follower, follow } from "#lib/server/notifications/index";
import { readStreams, takeStream, touchStreams } from "./store";
import { takeStreamSlot } from "./stream-slots";
import type { OpenStream, Session, SessionContext, StreamUpdate, TopicChange, WaitContext } from "./types";

/** Maximum changes read at once for one stream. */
const batchSize = 100;
const touchIntervalMs = minuteMs;

type Listener = {
  /** Called with each change, oldest first. */
  onChange: (change: TopicChange) => void;
  /** Called when another stream replaced this one, or the session ended. */
  onEnd: () => void;
};

type Entry = OpenStream & Listener;

/** The open notification streams of this instance. One query reads the changes of all of them. */
class Streams {
  readonly #entries = new Map<string, Entry>();
  #context: WaitContext | undefined;
  #follower: Follower | undefined;
  #touchedMs = 0;

  add(context: WaitContext, entry: Entry): void {
    this.#context = context;
    this.#entries.set(entry.streamId, entry);
    if (!this.#follower) {
      this.#touchedMs = context.clock.monotonicMs();
      const messages = {
        failed: "could not read the notifications of MCP sessions",
        works: "the notifications of MCP sessions are read again",
      };
      this.#follower = follow({ log: context.log, messages, read: () => this.#read() });
    }
    this.#follower.readNow();
  }

  delete(streamId: string): void {
    this.#entries.delete(streamId);
    if (this.#entries.size > 0) return;
    this.#follower?.stop();
    this.#follower = undefined;
  }

  async #read(): Promise<boolean> {
    const { database, clock } = this.#context as WaitContext;
    const entries = [...this.#entries.values()];
    const updates = await readStreams(database, entries, batchSize);
    const byStream = new Map(updates.map((update) => [update.streamId, update]));
    let hasMore = false;
    for (const entry of entries) {
      const update = byStream.get(entry.streamId);
      if (!update) entry.onEnd();
      else if (!this.#send(entry, update)) hasMore = true;
    }
    if (clock.monotonicMs() - this.#touchedMs < touchIntervalMs) return hasMore;
    this.#touchedMs = clock.monotonicMs();
    await touchStreams(
      database,
      entries.map(({ sessionId }) => sessionId),
      clock.now(),
    );
    return hasMore;
  }

  /** Returns whether these are all changes so far. */
  #send(entry: Entry, { newest, changes }: StreamUpdate): boolean {
    for (const change of changes) entry.onChange(change);
    const isComplete = changes.length < batchSize;
    entry.position = isComplete ? newest : (changes.at(-1) as TopicChange).id;
    return isComplete;
  }
}

const streams = () => processSingleton("sessionStreams", () => new Streams());

/**
 * Opens the stream of a session's changes: those after `receivedUpTo`, else those that no earlier stream has sent. Ends
 * the session's previous stream. Returns a function that closes the stream; null if the session has ended. Throws
 * AppError service_unavailable if the caller or this instance has too many open streams.
 */
export async function openStream(
  context: SessionContext & WaitContext,
  session: Session,
  { receivedUpTo, ...listener }: Listener & { receivedUpTo: bigint | null },
): Promise<(() => void) | null> {
  const freeSlot = takeStreamSlot(context);
  const streamId = crypto.randomUUID();
  try {
    const position = await takeStream(context.database, { sessionId: session.id, streamId, receivedUpTo });
    if (position === null) {
      freeSlot();
      return null;
    }
    streams().add(context, { sessionId: session.id, streamId, position, ...listener });
  } catch (error) {
    freeSlot();
    throw error;
  }
  return () => {
    freeSlot();
    streams().delete(streamId);
  };
}
