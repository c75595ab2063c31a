import { type Observer, observer, type StreamOutcome } from "#lib/platform/observer";
import { processSingleton } from "#lib/platform/process-singleton";
import { DueQueue, type QueueItem } from "./due-queue";

/** Where a stream is written: a socket, or the controller of a Web stream. */
export type Sink = {
  /** Writes a chunk. Returns false if the receiver's buffer is full; it calls `Playback.resume` when it can accept more. */
  write(bytes: Uint8Array): boolean;
  /** Holds back what is written until `uncork`, so that it leaves together. Absent if that is not supported. */
  cork?(): void;
  uncork?(): void;
  /** The stream ends normally. */
  end(): void;
  /** The stream is cut off: the recording was truncated, or the receiver stalled for too long and takes nothing more. */
  cut(isStalled: boolean): void;
};

/** What to play: frames, each with its time in milliseconds from the start of the recording. */
export type PlaybackSchedule = {
  frames: readonly Uint8Array[];
  dueMs: Float64Array;
  /** Index of the first frame to play. */
  from: number;
  /** Time in the recording at which the playback starts. */
  offsetMs: number;
  /** Factor on time: 2 is twice as fast, Infinity removes all delays. */
  speed: number;
  /** Whether the stream is cut off after its last frame, because the recording was truncated. */
  cutAtEnd: boolean;
  /** Least time between two frames in milliseconds, also if they are late. */
  leastGapMs?: number;
};

/** A client that accepts no bytes for this long is cut off, in milliseconds. */
export const maxStallMs = 60_000;

/** One stream that is being played. */
export class Playback implements QueueItem {
  dueAtMs = 0;
  heapIndex = -1;
  /** Whether the receiver's buffer is full. */
  blocked = false;
  /** When the receiver's buffer last drained, on the pacer's clock, if that is observed: until then, frames do not count as late. */
  resumedAtMs = 0;
  /** When the next frame may be written at the earliest, on the pacer's clock, if there is a least gap. */
  earliestMs = 0;
  /** Index of the next frame to write. */
  next: number;
  readonly startedAtMs: number;

  constructor(
    readonly pacer: Pacer,
    readonly schedule: PlaybackSchedule,
    readonly sink: Sink,
    nowMs: number,
  ) {
    this.next = schedule.from;
    this.startedAtMs = nowMs;
  }

  /** Returns when a frame is due, on the pacer's clock. It is relative to the start, so that delays do not add up. */
  dueAt(frame: number): number {
    const { dueMs, offsetMs, speed } = this.schedule;
    return this.startedAtMs + ((dueMs[frame] as number) - offsetMs) / speed;
  }

  /** Continues after the receiver's buffer was full. */
  resume(): void {
    this.pacer.resume(this);
  }

  /** Stops the playback of a receiver that disconnected. */
  stop(): void {
    this.pacer.stop(this);
  }
}

/** Most streams served in one turn of the event loop, so that new connections are not starved. */
export const maxPlaybacksPerTurn = 64;

type Timer = {
  nowMs: () => number;
  set: (run: () => void, ms: number) => unknown;
  clear: (handle: unknown) => void;
  /** Runs in the next turn of the event loop. */
  soon: (run: () => void) => void;
};

const systemTimer: Timer = {
  nowMs: () => performance.now(),
  set: (run, ms) => setTimeout(run, ms),
  clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
  soon: (run) => setImmediate(run),
};

/**
 * Plays any number of streams with one timer and a queue ordered by due time, instead of a timer per stream. Frames
 * that are due at the same time are written together.
 */
export class Pacer {
  readonly #queue = new DueQueue<Playback>();
  readonly #timer: Timer;
  #handle: unknown;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #running = false;
  readonly #observer: Observer | undefined;

  constructor(timer: Timer = systemTimer, observer?: Observer) {
    this.#timer = timer;
    this.#observer = observer;
  }

  /** Number of streams that are playing. */
  get size(): number {
    return this.#queue.size;
  }

  /** Starts a stream. Its first frame is written when it is due. */
  play(schedule: PlaybackSchedule, sink: Sink): Playback {
    const playback = new Playback(this, schedule, sink, this.#timer.nowMs());
    playback.dueAtMs = schedule.from < schedule.frames.length ? playback.dueAt(schedule.from) : playback.startedAtMs;
    this.#queue.add(playback);
    this.#observer?.streamStarted();
    this.#setTimer();
    return playback;
  }

  resume(playback: Playback): void {
    if (!playback.blocked || playback.heapIndex < 0) return;
    playback.blocked = false;
    if (this.#observer) playback.resumedAtMs = this.#timer.nowMs();
    playback.dueAtMs =
      playback.next < playback.schedule.frames.length ? playback.dueAt(playback.next) : this.#timer.nowMs();
    this.#queue.update(playback);
    this.#setTimer();
  }

  stop(playback: Playback): void {
    if (playback.heapIndex >= 0) this.#observer?.streamEnded("disconnected");
    this.#queue.remove(playback);
    if (this.#queue.size > 0) return;
    this.#timer.clear(this.#handle);
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
  }

  #setTimer(): void {
    const dueAtMs = this.#queue.first()?.dueAtMs;
    if (this.#running || dueAtMs === undefined || dueAtMs >= this.#wakeAtMs) return;
    this.#timer.clear(this.#handle);
    this.#wakeAtMs = dueAtMs;
    const waitMs = Math.ceil(dueAtMs - this.#timer.nowMs());
    // A timer of Node.js takes a millisecond at least.
    if (waitMs <= 0) this.#timer.soon(() => this.#run());
    else this.#handle = this.#timer.set(() => this.#run(), waitMs);
  }

  #run(): void {
    this.#running = true;
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#timer.nowMs();
    for (let served = 0; served < maxPlaybacksPerTurn && this.#isDue(nowMs); served += 1) {
      this.#advance(this.#queue.first() as Playback, nowMs);
    }
    // `#running` stays set until the next turn, so that nothing else sets the timer.
    if (this.#isDue(nowMs)) return this.#timer.soon(() => this.#run());
    this.#running = false;
    this.#setTimer();
  }

  #isDue(nowMs: number): boolean {
    return (this.#queue.first()?.dueAtMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  }

  #advance(playback: Playback, nowMs: number): void {
    const { schedule, sink, next } = playback;
    if (playback.blocked) return this.#finish(playback, "stalled");
    // Frames that are due together, and the end of the stream, need only one system call.
    const isAlone = next + 1 < schedule.frames.length && playback.dueAt(next + 1) > nowMs;
    if (isAlone || !sink.cork) return this.#writeDue(playback, nowMs);
    sink.cork();
    this.#writeDue(playback, nowMs);
    sink.uncork?.();
  }

  /** Writes every frame that is due, then schedules the next frame, waits for the receiver, or finishes. */
  #writeDue(playback: Playback, nowMs: number): void {
    const { schedule, sink } = playback;
    const { leastGapMs } = schedule;
    while (playback.next < schedule.frames.length) {
      const dueAtMs = Math.max(playback.earliestMs, playback.dueAt(playback.next));
      if (dueAtMs > nowMs) {
        playback.dueAtMs = dueAtMs;
        return this.#queue.update(playback);
      }
      if (leastGapMs !== undefined) playback.earliestMs = nowMs + leastGapMs;
      const canAcceptMore = sink.write(schedule.frames[playback.next++] as Uint8Array);
      this.#observer?.chunkWritten(nowMs - Math.max(dueAtMs, playback.resumedAtMs));
      if (playback.heapIndex < 0) return;
      if (!canAcceptMore) {
        playback.blocked = true;
        playback.dueAtMs = nowMs + maxStallMs;
        return this.#queue.update(playback);
      }
    }
    this.#finish(playback, schedule.cutAtEnd ? "truncated" : "complete");
  }

  #finish(playback: Playback, outcome: StreamOutcome): void {
    this.#queue.remove(playback);
    this.#observer?.streamEnded(outcome);
    if (outcome === "complete") playback.sink.end();
    else playback.sink.cut(outcome === "stalled");
  }
}

/** Returns the process's pacer. */
export function pacer(): Pacer {
  return processSingleton("pacer", () => new Pacer(systemTimer, observer()));
}
