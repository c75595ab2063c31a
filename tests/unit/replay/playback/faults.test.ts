import { describe, expect, it } from "vitest";
import { applyFaults } from "#lib/replay/playback/answer-faults";
import { countInTest } from "#lib/replay/playback/count-requests";
import { openError, parseFaults, statusOfError } from "#lib/replay/playback/faults";
import type { Replay } from "#lib/replay/playback/index";
import { anthropic, readEvents, requireProvider } from "#lib/replay/providers/index";

const chat = requireProvider("openai-chat");
const text = ['data: {"a":1}\n\nda', 'ta: {"b":"ü"}\n\n', "data: [DONE]\n\n"];
const body = Buffer.from(text.join(""));

function replayOf({ speed = 1, contentType = "text/event-stream; charset=utf-8" } = {}): Replay {
  const frames = text.map((part) => Buffer.from(part));
  const schedule = { frames, dueMs: Float64Array.of(10, 20, 30), from: 0, offsetMs: 0, speed, cutAtEnd: false };
  return { status: 200, headers: { "Content-Type": contentType }, schedule };
}

const bytesOf = ({ schedule }: Replay) => Buffer.concat(schedule.frames as Uint8Array[]);
const asking = { provider: chat, asker: "request", requestId: "r1" } as const;
const apply = (header: string, replay = replayOf()) => applyFaults(replay, parseFaults(header, chat), asking);

describe("a fault", () => {
  it("cuts the connection after a number of events, also in the middle of a frame", () => {
    for (const [count, end] of [
      [0, 0],
      [1, text[0]?.indexOf("da", 5)],
      [2, body.indexOf("data: [DONE]")],
    ]) {
      const cut = apply(`cut-after-event=${count}`);
      expect([count, bytesOf(cut)]).toEqual([count, body.subarray(0, end)]);
      expect([cut.schedule.cutAtEnd, cut.schedule.dueMs]).toHaveLength(2);
      expect(cut.schedule.dueMs).toHaveLength(cut.schedule.frames.length);
    }
  });

  it("that would change nothing is refused", () => {
    expect(() => apply("cut-after-event=99")).toThrow("this answer has 3 events");
    expect(() => apply("rechunk=1000")).toThrow("no piece of this response is larger");
  });

  it("cuts a body that is no stream in its middle, whatever the number of events", () => {
    for (const count of [0, 1, 12]) {
      const { schedule } = apply(`cut-after-event=${count}`, replayOf({ contentType: "application/json" }));
      expect(Buffer.concat(schedule.frames as Uint8Array[])).toEqual(body.subarray(0, body.length >> 1));
      expect(schedule.cutAtEnd).toBe(true);
    }
  });

  it("counts the lines of JSON lines as events", () => {
    const lines = replayOf({ contentType: "application/x-ndjson" });
    lines.schedule.frames = [Buffer.from('{"a":1}\n{"b"'), Buffer.from(":2}\n")];
    expect(bytesOf(apply("cut-after-event=1", lines)).toString()).toBe('{"a":1}\n');
  });

  it("pauses after the first frame for as long as it says, at any speed", () => {
    for (const speed of [1, 4, Number.POSITIVE_INFINITY]) {
      const { dueMs, speed: played } = apply("stall=5s", replayOf({ speed })).schedule;
      const gaps = [1, 2].map((index) => ((dueMs[index] as number) - (dueMs[0] as number)) / played);
      const recorded = Number.isFinite(speed) ? [10 / speed, 20 / speed] : [0, 0];
      expect([speed, gaps]).toEqual([speed, recorded.map((gap) => gap + 5_000)]);
    }
  });

  it("divides frames into pieces of a size, whose bytes are the same", () => {
    const divided = apply("rechunk=1");
    expect(bytesOf(divided)).toEqual(body);
    expect(divided.schedule.frames).toHaveLength(body.length);
    expect(divided.schedule.dueMs).toHaveLength(body.length);
  });

  it("sends each of the pieces into which a frame is divided 1 ms after the one before, at any speed", () => {
    const dueOf = (speed: number) => {
      const { schedule } = apply("rechunk=6", replayOf({ speed }));
      return Array.from(schedule.dueMs.slice(0, 7), (due) => due / schedule.speed);
    };
    expect(dueOf(1)).toEqual([10, 11, 12, 22, 23, 24, 34]);
    expect(dueOf(10)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(dueOf(Number.POSITIVE_INFINITY)).toEqual([0, 1, 2, 2, 3, 4, 4]);
  });

  it("pauses after the first of the pieces into which a frame is divided", () => {
    const { dueMs } = apply("stall=5s,rechunk=10").schedule;
    expect(Array.from(dueMs.slice(0, 3))).toEqual([10, 5_011, 5_021]);
  });

  it("delays no event by more than a minute in all", () => {
    for (let seed = 0; seed < 20; seed++)
      expect(apply(`jitter=60s;seed=${seed}`).schedule.dueMs.at(-1)).toBeLessThanOrEqual(60_030);
  });

  it("can be combined, and is refused if it is unknown or out of bounds", () => {
    const both = apply("cut-after-event=1, rechunk=2");
    expect(bytesOf(both).toString()).toBe('data: {"a":1}\n\n');
    for (const header of [
      "",
      "nothing",
      "stall=99s",
      "stall=5",
      "status=200",
      "status=none",
      "rechunk=0",
      "cut-after-event=-1",
      "error-after-event=1,cut-after-event=2",
      "error-after-event=1,end-after-event=2",
      "first-byte=61s",
      "jitter=60001ms",
      "jitter=5ms;seed=x",
      "rechunk=1,,",
      Array(1_500).fill("rechunk=1").join(","),
      "stall=60s,stall=60s",
      "stall=5s;code=late",
      "status=429;retry-after=soon",
      "status=429;retry-after=9999",
      "status=429;message=%",
      "status=429;reason=none",
    ]) {
      expect(() => parseFaults(header, chat), header).toThrow(/x-replay-fault/);
    }
  });

  it("of a status is refused with others, which would do nothing", () => {
    expect(() => parseFaults("stall=5s,status=529,rechunk=1", chat)).toThrow("has status with stall, rechunk.");
  });

  it("is refused with the bounds of each kind", () => {
    const bounds = "jitter=<up to 60s or 60000ms> and rechunk=<1 to 999999 bytes>";
    for (const header of ["stall=61s", "cut-after-event=1000000", "rechunk=0"])
      expect(() => parseFaults(header, chat)).toThrow(bounds);
    expect(parseFaults("stall=60s, cut-after-event=999999", chat)).toEqual({
      stallMs: 60_000,
      afterEvent: 999_999,
      do: "cut",
    });
  });

  it("sends an error event in the provider's format after a number of events, and ends the stream", () => {
    const failed = apply("error-after-event=1");
    const [first, event] = bytesOf(failed)
      .toString()
      .split(/(?<=\n\n)/);
    expect([first, failed.schedule.cutAtEnd]).toEqual([text[0]?.slice(0, -2), false]);
    expect(JSON.parse(event?.slice("data: ".length) ?? "").error.message).toContain("because the request asks for it");
    expect(() => apply("error-after-event=1", replayOf({ contentType: "application/json" }))).toThrow("is no stream");
    expect(() => apply("error-after-event=99")).toThrow(/^error-after-event=99 would do nothing/);
    expect(() => apply("cut-after-event=99")).toThrow(/^cut-after-event=99 would do nothing/);
  });

  it.each([0, 2])("numbers an error event of Responses after the events before it: %i", (count) => {
    const provider = requireProvider("openai-responses");
    const replay = replayOf();
    const numbered = (number: number) => `event: e\ndata: {"sequence_number":${number}}\n\n`;
    replay.schedule.frames = [Buffer.from(numbered(0)), Buffer.from(numbered(1) + numbered(2))];
    const faults = parseFaults(`error-after-event=${count}`, provider);
    const failed = applyFaults(replay, faults, { ...asking, provider });
    const last = readEvents([{ deltaMs: 0, bytes: bytesOf(failed) }], "sse").at(-1);
    expect(last?.json).toMatchObject({ type: "error", sequence_number: count, error: { code: null } });
  });

  it("ends a stream early as if it were complete", () => {
    const { schedule } = apply("end-after-event=1");
    expect([bytesOf({ ...replayOf(), schedule }).toString(), schedule.cutAtEnd]).toEqual(['data: {"a":1}\n\n', false]);
    expect(() => apply("end-after-event=1", replayOf({ contentType: "application/json" }))).toThrow("is no stream");
    expect(() => apply("end-after-event=99")).toThrow(/^end-after-event=99 would do nothing/);
    expect(() => apply("end-after-event=3")).toThrow("end-after-event=3 would do nothing: this answer has 3 events");
    const cut = replayOf();
    cut.schedule.cutAtEnd = true;
    expect(apply("end-after-event=3", cut).schedule.cutAtEnd).toBe(false);
  });

  it("delays events at random, the same for the same seed, and the response", () => {
    const due = (header: string) => Array.from(apply(header).schedule.dueMs);
    expect(due("jitter=50ms;seed=7")).toEqual(due("jitter=0.05s;seed=7"));
    expect(due("jitter=50ms;seed=7")).not.toEqual(due("jitter=50ms"));
    expect(parseFaults("first-byte=1.5s,stall=20ms", chat)).toEqual({ firstByteMs: 1500, stallMs: 20 });
  });

  it("does not divide a long response into more pieces than can be sent in a minute", () => {
    const replay = replayOf();
    replay.schedule.frames = [Buffer.alloc(60_002)];
    expect(() => apply("rechunk=1", replay)).toThrow("would add 60001 pieces to this response, 1 ms apart, and 60000");
    replay.schedule.frames = [Buffer.alloc(60_001)];
    expect(apply("rechunk=1", replay).schedule.dueMs.at(-1)).toBe(60_010);
  });
});

describe("an error on request", () => {
  it("has the provider's status and format", () => {
    expect(statusOfError("overloaded", anthropic)).toBe(529);
    expect(statusOfError("overloaded", chat)).toBe(503);
    expect(
      ["rate_limited", "server_error", "418", "legal/nda", "__proto__"].map((name) => statusOfError(name, chat)),
    ).toEqual([429, 500, 418, undefined, undefined]);
    const replay = openError(anthropic, { status: 529 }, "r1");
    expect(JSON.parse(bytesOf(replay).toString())).toMatchObject({
      type: "error",
      error: { type: "overloaded_error" },
      request_id: "req_r1",
    });
    expect(replay).toMatchObject({ status: 529, headers: { "request-id": "req_r1" } });
  });

  it("has the code, message and headers that it names, and what clients read of a rate limit", () => {
    const open = (header: string, provider = chat) => openError(provider, parseFaults(header, provider).error!, "r1");
    const quota = open("status=429;retry-after=2.5;code=insufficient_quota;message=Spent%2C%20all%20of%20it");
    expect(JSON.parse(bytesOf(quota).toString())).toEqual({
      error: { message: "Spent, all of it", type: "insufficient_quota", param: null, code: "insufficient_quota" },
    });
    expect(quota.headers).toMatchObject({ "retry-after": "2.5", "x-ratelimit-remaining-requests": "0" });
    const limited = open("status=rate_limited", anthropic);
    expect(limited.headers).toMatchObject({ "retry-after": "1", "anthropic-ratelimit-requests-remaining": "0" });
    expect(open("status=503").headers).not.toHaveProperty("retry-after");
    const gemini = open("status=429;retry-after=7", requireProvider("gemini"));
    expect(JSON.parse(bytesOf(gemini).toString()).error).toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      details: [{ retryDelay: "7s" }],
    });
  });
});

describe("the requests of a test", () => {
  it("are counted by test and subject", async () => {
    const counts = [countInTest("t1", "a"), countInTest("t1", "a"), countInTest("t1", "b"), countInTest("t2", "a")];
    expect(await Promise.all(counts)).toEqual([0, 1, 0, 0]);
  });
});
