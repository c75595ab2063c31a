import { describe, expect, it } from "vitest";
import { guardedFetch, type StartTimer } from "#lib/platform/outbound/index";
import { setUpVendor } from "#tests/support/outbound-vendor";
import * as answers from "#tests/support/vendor-answers";

const { requests, setAnswer, clearRequests, get, refusal } = setUpVendor();

/** Timers that go off when the test says so. */
function handTimers() {
  const running = new Map<number, () => void>();
  const startTimer: StartTimer = (timeoutMs, onTime) => {
    running.set(timeoutMs, onTime);
    return () => running.delete(timeoutMs);
  };
  return { startTimer, running };
}

/** An answer that tells when it was asked for. */
function noted(answer: answers.VendorAnswer): { asked: Promise<void>; answer: answers.VendorAnswer } {
  const { opened: asked, open: tell } = answers.latch();
  return {
    asked,
    answer: async (visit) => {
      await answer(visit);
      tell();
    },
  };
}

describe("the time", () => {
  it("for the headers is 10 s and for everything 30 s", async () => {
    const { startTimer, running } = handTimers();
    const { asked, answer } = noted(answers.silence);
    setAnswer(answer);
    const ended = refusal({ startTimer });
    await asked;
    expect([...running.keys()].sort()).toEqual([10_000, 30_000]);
    running.get(10_000)?.();
    expect(await ended).toBe("headers_timeout");
    expect(running.size).toBe(0);
  });

  it("for the headers does not count once they are there; that for everything does", async () => {
    const { startTimer, running } = handTimers();
    setAnswer(answers.stalled);
    const ended = refusal({ startTimer });
    await expect.poll(() => running.has(10_000) || requests().length === 0).toBe(false);
    running.get(30_000)?.();
    expect(await ended).toBe("timeout");
  });

  it("counts for the look-up as well", async () => {
    const { startTimer, running } = handTimers();
    const ended = guardedFetch("https://slow.example/", { startTimer, resolve: () => new Promise(() => {}) });
    await expect.poll(() => running.size).toBe(2);
    running.get(10_000)?.();
    await expect(ended).rejects.toMatchObject({ reason: "headers_timeout", requestCount: 0 });
  });

  it("really passes", async () => {
    setAnswer(answers.silence);
    expect(await refusal({ headersTimeoutMs: 50 })).toBe("headers_timeout");
    setAnswer(answers.stalled);
    expect(await refusal({ totalTimeoutMs: 100 })).toBe("timeout");
  });

  it("is one for all hops, without what surrounds them", async () => {
    let nowMs = 0;
    const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
    const totals: number[] = [];
    const startTimer: StartTimer = (timeoutMs) => {
      totals.push(timeoutMs);
      return () => {};
    };
    setAnswer((visit) => {
      nowMs += 1_000;
      return answers.redirectChain(2)(visit);
    });
    const answer = await get({
      ...{ clock, startTimer, headersTimeoutMs: 1, totalTimeoutMs: 30_000 },
      aroundHop: (_url, send) => {
        nowMs += 35_000;
        return send();
      },
    });
    expect(totals.filter((timeoutMs) => timeoutMs !== 1)).toEqual([30_000, 29_000, 28_000]);
    expect(answer.responseTimeMs).toBe(3_000);
  });

  it("never passes the deadline", async () => {
    setAnswer(answers.silence);
    expect(await refusal({ deadlineMs: performance.now() + 50 })).toBe("timeout");
    clearRequests();
    await expect(get({ deadlineMs: performance.now() - 1 })).rejects.toMatchObject({
      reason: "timeout",
      requestCount: 0,
    });
    expect(requests()).toEqual([]);
  });
});

describe("a caller that gives up", () => {
  it("ends the request at once, wherever it is", async () => {
    for (const answer of [answers.silence, answers.stalled]) {
      const told = noted(answer);
      setAnswer(told.answer);
      const caller = new AbortController();
      const ended = refusal({ signal: caller.signal });
      await told.asked;
      caller.abort();
      expect(await ended).toBe("aborted");
    }
  });

  it("before the start sends nothing", async () => {
    expect(await refusal({ signal: AbortSignal.abort() })).toBe("aborted");
    expect(requests().length).toBe(0);
  });
});
