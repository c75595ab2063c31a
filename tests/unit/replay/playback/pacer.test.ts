import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxPlaybacksPerTurn, maxStallMs, Pacer, type PlaybackSchedule, type Sink } from "#lib/replay/playback/pacer";

/** A clock and timer that advance manually. */
class FakeTimer {
  ms = 0;
  #timers = new Map<number, { atMs: number; run: () => void }>();
  #next = 1;
  nowMs = () => this.ms;
  set = (run: () => void, ms: number) => {
    this.#timers.set(this.#next, { atMs: this.ms + ms, run });
    return this.#next++;
  };
  clear = (handle: unknown) => {
    this.#timers.delete(handle as number);
  };
  soon = (run: () => void) => {
    this.set(run, 0);
  };
  get armed() {
    return this.#timers.size;
  }
  /** Advances the clock; each timer fires `latenessMs` late. */
  advance(ms: number, latenessMs = 0): void {
    const untilMs = this.ms + ms;
    for (;;) {
      const [next] = [...this.#timers.entries()].sort(([, a], [, b]) => a.atMs - b.atMs);
      if (!next || next[1].atMs > untilMs) break;
      this.#timers.delete(next[0]);
      this.ms = Math.max(this.ms, next[1].atMs + latenessMs);
      next[1].run();
    }
    this.ms = Math.max(this.ms, untilMs);
  }
}

class Recorder implements Sink {
  writes: { atMs: number; text: string }[] = [];
  ended = "";
  room = Number.POSITIVE_INFINITY;
  constructor(readonly timer: FakeTimer) {}
  write(bytes: Uint8Array): boolean {
    this.writes.push({ atMs: this.timer.ms, text: Buffer.from(bytes).toString() });
    return this.writes.length < this.room;
  }
  end() {
    this.ended = "end";
  }
  cut() {
    this.ended = "cut";
  }
}

function schedule(dueMs: number[], more: Partial<PlaybackSchedule> = {}): PlaybackSchedule {
  const frames = dueMs.map((_, index) => Buffer.from(String(index)));
  return { frames, dueMs: Float64Array.from(dueMs), from: 0, offsetMs: 0, speed: 1, cutAtEnd: false, ...more };
}

function setUp() {
  const timer = new FakeTimer();
  return { timer, pacer: new Pacer(timer), sink: new Recorder(timer) };
}

describe("the pacer", () => {
  it("writes each frame at its absolute due time, however late the timers are", () => {
    const { timer, pacer, sink } = setUp();
    pacer.play(schedule([10, 20, 30, 40, 50]), sink);
    timer.advance(200, 4);
    expect(sink.writes.map(({ atMs }) => atMs)).toEqual([14, 24, 34, 44, 54]);
    expect(sink.ended).toBe("end");
  });

  it("writes the frames that a late timer missed together, and is on time again immediately", () => {
    const { timer, pacer, sink } = setUp();
    pacer.play(schedule([10, 11, 12, 100]), sink);
    timer.advance(50, 5);
    timer.advance(50);
    expect(sink.writes.map(({ atMs }) => atMs)).toEqual([15, 15, 15, 100]);
  });

  it("keeps the least gap between frames that a late timer missed", () => {
    const { timer, pacer, sink } = setUp();
    pacer.play(schedule([10, 11, 12, 100], { leastGapMs: 1 }), sink);
    timer.advance(50, 5);
    timer.advance(60);
    expect(sink.writes.map(({ atMs }) => atMs)).toEqual([15, 21, 27, 100]);
    expect(sink.ended).toBe("end");
  });

  it("scales time by the speed, and plays everything at once at max", () => {
    const { timer, pacer, sink } = setUp();
    pacer.play(schedule([10, 40], { speed: 2 }), sink);
    timer.advance(100);
    expect(sink.writes.map(({ atMs }) => atMs)).toEqual([5, 20]);
    const fast = new Recorder(timer);
    pacer.play(schedule([10, 40_000], { speed: Number.POSITIVE_INFINITY }), fast);
    timer.advance(1);
    expect(fast.writes).toHaveLength(2);
  });

  it("writes what is due together, and the end after the last frame, without a gap", () => {
    const { timer, pacer } = setUp();
    const log: string[] = [];
    const note = (what: string) => () => void log.push(what);
    const write = (bytes: Uint8Array) => log.push(Buffer.from(bytes).toString()) > 0;
    pacer.play(schedule([0, 0, 10, 20, 20]), {
      write,
      end: note("end"),
      cut: note("cut"),
      cork: note("cork"),
      uncork: note("uncork"),
    });
    timer.advance(30);
    expect(log.join(" ")).toBe("cork 0 1 uncork 2 cork 3 4 end uncork");
  });

  it("starts in the middle, with time counted from there", () => {
    const { timer, pacer, sink } = setUp();
    pacer.play(schedule([1000, 1010, 1030], { from: 1, offsetMs: 1000 }), sink);
    timer.advance(100);
    expect(sink.writes).toEqual([
      { atMs: 10, text: "1" },
      { atMs: 30, text: "2" },
    ]);
  });

  it("cuts off a truncated recording, and ends a stream without frames", () => {
    const { timer, pacer, sink } = setUp();
    pacer.play(schedule([5], { cutAtEnd: true }), sink);
    const empty = new Recorder(timer);
    pacer.play(schedule([]), empty);
    timer.advance(10);
    expect([sink.ended, empty.ended]).toEqual(["cut", "end"]);
  });

  it("frees everything as soon as a receiver disconnects", () => {
    const { timer, pacer, sink } = setUp();
    const playback = pacer.play(schedule([10, 20]), sink);
    timer.advance(12);
    playback.stop();
    expect([pacer.size, timer.armed]).toEqual([0, 0]);
    timer.advance(100);
    expect(sink.writes).toHaveLength(1);
    playback.stop();
    playback.resume();
    expect(pacer.size).toBe(0);
  });

  it("waits for a full receiver, then catches up without changing the schedule", () => {
    const { timer, pacer, sink } = setUp();
    sink.room = 1;
    const playback = pacer.play(schedule([10, 20, 30, 200]), sink);
    timer.advance(100);
    expect(sink.writes).toHaveLength(1);
    sink.room = Number.POSITIVE_INFINITY;
    playback.resume();
    timer.advance(150);
    expect(sink.writes.map(({ atMs }) => atMs)).toEqual([10, 100, 100, 200]);
    expect(sink.ended).toBe("end");
  });

  it("cuts off a receiver that stalls for too long", () => {
    const { timer, pacer, sink } = setUp();
    sink.room = 1;
    pacer.play(schedule([10, 20]), sink);
    timer.advance(maxStallMs + 11);
    expect([sink.ended, pacer.size, timer.armed]).toEqual(["cut", 0, 0]);
  });

  it("serves many streams over several turns of the event loop, without skipping any", () => {
    const { timer, pacer } = setUp();
    const sinks = Array.from({ length: 3 * maxPlaybacksPerTurn }, () => new Recorder(timer));
    for (const sink of sinks) pacer.play(schedule([10, 20]), sink);
    let turns = 0;
    const { soon } = timer;
    timer.soon = (run) => {
      turns += 1;
      soon(run);
    };
    timer.advance(30);
    expect(turns).toBeGreaterThanOrEqual(4);
    for (const { writes, ended } of sinks) expect([writes.map(({ atMs }) => atMs), ended]).toEqual([[10, 20], "end"]);
  });

  it("plays any number of streams with one timer, each in order and never early", () => {
    const stream = fc.record({
      startMs: fc.integer({ min: 0, max: 200 }),
      gapsMs: fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 }),
      stopAfterMs: fc.option(fc.integer({ min: 0, max: 500 })),
    });
    fc.assert(
      fc.property(fc.array(stream, { maxLength: 20 }), fc.integer({ min: 0, max: 7 }), (streams, latenessMs) => {
        const { timer, pacer } = setUp();
        const played = [...streams]
          .sort((a, b) => a.startMs - b.startMs)
          .map(({ startMs, gapsMs, stopAfterMs }) => {
            if (startMs > timer.ms) timer.advance(startMs - timer.ms, latenessMs);
            let atMs = 0;
            const dueMs = gapsMs.map((gap) => {
              atMs += gap;
              return atMs;
            });
            const sink = new Recorder(timer);
            const playback = pacer.play(schedule(dueMs), sink);
            if (stopAfterMs !== null) timer.set(() => playback.stop(), stopAfterMs);
            return { sink, dueMs, stopAfterMs, startedAtMs: playback.startedAtMs };
          });
        timer.advance(5_000, latenessMs);
        for (const { sink, dueMs, stopAfterMs, startedAtMs } of played) {
          expect(sink.writes.map(({ text }) => text)).toEqual(sink.writes.map((_, index) => String(index)));
          for (const [index, { atMs }] of sink.writes.entries()) {
            expect(atMs).toBeGreaterThanOrEqual(startedAtMs + (dueMs[index] as number));
          }
          if (stopAfterMs === null) expect([sink.writes.length, sink.ended]).toEqual([dueMs.length, "end"]);
        }
        expect([pacer.size, timer.armed]).toEqual([0, 0]);
      }),
    );
  });
});

describe("an observer of the pacer", () => {
  function setUpObserved() {
    const timer = new FakeTimer();
    const events: string[] = [];
    const pacer = new Pacer(timer, {
      answered: () => undefined,
      refused: () => undefined,
      paymentEvent: () => undefined,
      streamStarted: () => events.push("started"),
      streamEnded: (outcome) => events.push(outcome),
      chunkWritten: (latenessMs) => events.push(`late ${latenessMs}`),
    });
    return { timer, pacer, events, sink: new Recorder(timer) };
  }

  it("is told of a stream's start, how late each frame is, and its end, once", () => {
    const { timer, pacer, events, sink } = setUpObserved();
    const playback = pacer.play(schedule([10, 20]), sink);
    timer.advance(100, 4);
    playback.stop();
    expect(events).toEqual(["started", "late 4", "late 4", "complete"]);
  });

  it("is told how late a frame is for the least gap, not for what the gap delays", () => {
    const { timer, pacer, events, sink } = setUpObserved();
    pacer.play(schedule([10, 11, 12, 13], { leastGapMs: 1 }), sink);
    timer.advance(100, 5);
    expect(events).toEqual(["started", ...Array(4).fill("late 5"), "complete"]);
  });

  it("is told how a stream ended before its time", () => {
    const { timer, pacer, events, sink } = setUpObserved();
    pacer.play(schedule([5], { cutAtEnd: true }), sink);
    timer.advance(10);
    pacer.play(schedule([5]), sink).stop();
    const stalling = new Recorder(timer);
    stalling.room = 1;
    pacer.play(schedule([0, 1]), stalling);
    timer.advance(maxStallMs);
    expect(events.filter((event) => !event.startsWith("late"))).toEqual([
      ...["started", "truncated", "started", "disconnected", "started", "stalled"],
    ]);
  });

  it("is not told that a frame was late for which its reader had no room", () => {
    const { timer, pacer, events, sink } = setUpObserved();
    sink.room = 1;
    const playback = pacer.play(schedule([10, 20]), sink);
    timer.advance(500);
    sink.room = Number.POSITIVE_INFINITY;
    playback.resume();
    timer.advance(1);
    expect(events).toEqual(["started", "late 0", "late 0", "complete"]);
  });
});
