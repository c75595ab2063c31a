import { processSingleton } from "#lib/platform/process-singleton";
import { type Due, DueQueue } from "./due-queue";

/** Where a stream goes: a socket, or the controller of a Web stream. */
export type Sink = {
  /** Takes a chunk; false when the receiver is full and will call `Playback.resume` once it has room. */
  write(bytes: Uint8Array): boolean;
  /** The stream is over as recorded. */
  end(): void;
  /** The stream breaks off here: the recording did, or the receiver took nothing for too long. */
  cut(): void;
};

/** What to play: frames, each with its time in milliseconds from the start of the playback. */
export type Score = {
  frames: readonly Uint8Array[];
  dueMs: Float64Array;
  /** Number of the first frame to play. */
  from: number;
  /** Time at which `from` is counted as zero. */
  offsetMs: number;
  /** Factor on time: 2 is twice as fast, Infinity is at once. */
  speed: number;
  /** Whether the stream breaks off after its last frame, as the recording did. */
  cutAtEnd: boolean;
};

/** A client that takes no byte for this long is cut off, in milliseconds. */
export const maxStallMs = 60_000;

/** One stream being played. `stop` frees all it holds at once. */
export class Playback implements Due {
  dueAtMs = 0;
  place = -1;
  blocked = false;
  next: number;
  readonly startedAtMs: number;

  constructor(
    readonly pacer: Pacer,
    readonly score: Score,
    readonly sink: Sink,
    nowMs: number,
  ) {
    this.next = score.from;
    this.startedAtMs = nowMs;
  }

  /** When a frame is due, on the pacer's clock: absolute from the start, so that lateness never adds up. */
  dueAt(frame: number): number {
    const { dueMs, offsetMs, speed } = this.score;
    return this.startedAtMs + ((dueMs[frame] as number) - offsetMs) / speed;
  }

  /** The receiver has room again. */
  resume(): void {
    this.pacer.resume(this);
  }

  /** The receiver went away. */
  stop(): void {
    this.pacer.stop(this);
  }
}

/** Streams that are served in one turn of the event loop, at most; then new connections get their turn. */
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
 * Plays any number of streams with one timer: a queue ordered by what is due next, instead of a timer each.
 * Frames that are due together go out together.
 */
export class Pacer {
  readonly #queue = new DueQueue<Playback>();
  readonly #timer: Timer;
  #handle: unknown;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #running = false;

  constructor(timer: Timer = systemTimer) {
    this.#timer = timer;
  }

  /** Streams that are playing now. */
  get size(): number {
    return this.#queue.size;
  }

  /** Starts a stream; its first frame comes when it is due. */
  play(score: Score, sink: Sink): Playback {
    const playback = new Playback(this, score, sink, this.#timer.nowMs());
    playback.dueAtMs = score.from < score.frames.length ? playback.dueAt(score.from) : playback.startedAtMs;
    this.#queue.add(playback);
    this.#arm();
    return playback;
  }

  resume(playback: Playback): void {
    if (!playback.blocked || playback.place < 0) return;
    playback.blocked = false;
    playback.dueAtMs =
      playback.next < playback.score.frames.length ? playback.dueAt(playback.next) : this.#timer.nowMs();
    this.#queue.update(playback);
    this.#arm();
  }

  stop(playback: Playback): void {
    this.#queue.remove(playback);
    if (this.#queue.size > 0) return;
    this.#timer.clear(this.#handle);
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    const dueAtMs = this.#queue.first()?.dueAtMs;
    if (this.#running || dueAtMs === undefined || dueAtMs >= this.#wakeAtMs) return;
    this.#timer.clear(this.#handle);
    this.#wakeAtMs = dueAtMs;
    this.#handle = this.#timer.set(() => this.#run(), Math.max(0, Math.ceil(dueAtMs - this.#timer.nowMs())));
  }

  #run(): void {
    this.#running = true;
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#timer.nowMs();
    for (let served = 0; served < maxPlaybacksPerTurn && this.#isDue(nowMs); served += 1) {
      this.#advance(this.#queue.first() as Playback, nowMs);
    }
    // Until the next turn has run nothing else may arm the timer.
    if (this.#isDue(nowMs)) return this.#timer.soon(() => this.#run());
    this.#running = false;
    this.#arm();
  }

  #isDue(nowMs: number): boolean {
    return (this.#queue.first()?.dueAtMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  }

  /** Writes every frame that is due, then waits for the next one, for room, or is done. */
  #advance(playback: Playback, nowMs: number): void {
    const { score, sink } = playback;
    if (playback.blocked) return this.#finish(playback, true);
    while (playback.next < score.frames.length) {
      const dueAtMs = playback.dueAt(playback.next);
      if (dueAtMs > nowMs) {
        playback.dueAtMs = dueAtMs;
        return this.#queue.update(playback);
      }
      const hasRoom = sink.write(score.frames[playback.next++] as Uint8Array);
      if (playback.place < 0) return;
      if (!hasRoom) {
        playback.blocked = true;
        playback.dueAtMs = nowMs + maxStallMs;
        return this.#queue.update(playback);
      }
    }
    this.#finish(playback, score.cutAtEnd);
  }

  #finish(playback: Playback, cut: boolean): void {
    this.#queue.remove(playback);
    if (cut) playback.sink.cut();
    else playback.sink.end();
  }
}

/** The one pacer of the process. */
export function pacer(): Pacer {
  return processSingleton("pacer", () => new Pacer());
}
