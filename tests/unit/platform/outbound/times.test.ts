import { describe, expect, it } from "vitest";
import { guardedFetch } from "#lib/platform/outbound/index";
import type { StartTimer } from "#lib/platform/timer";
import { deferred } from "#tests/support/deferred";
import { setUpVendor } from "#tests/support/outbound-vendor";
import { manualTimers } from "#tests/support/timers";
import * as answers from "#tests/support/vendor-answers";

const { requests, setAnswer, clearRequests, get, refusal } = setUpVendor();

/** Wraps an answer; `requested` resolves when a request has reached it. */
function observed(answer: answers.VendorAnswer): { requested: Promise<void>; answer: answers.VendorAnswer } {
  const { promise: requested, resolve } = deferred();
  return {
    requested,
    answer: async (visit) => {
      await answer(visit);
      resolve();
    },
  };
}

describe("timeouts", () => {
  it("are 10 s for the headers and 30 s in total", async () => {
    const { startTimer, running } = manualTimers();
    const { requested, answer } = observed(answers.silence);
    setAnswer(answer);
    const ended = refusal({ startTimer });
    await requested;
    expect([...running.keys()].sort()).toEqual([10_000, 30_000]);
    running.get(10_000)?.();
    expect(await ended).toBe("headers_timeout");
    expect(running.size).toBe(0);
  });

  it("for the headers end when the headers arrive; the total timeout continues", async () => {
    const { startTimer, running } = manualTimers();
    setAnswer(answers.stalled);
    const ended = refusal({ startTimer });
    await expect.poll(() => running.has(10_000) || requests().length === 0).toBe(false);
    running.get(30_000)?.();
    expect(await ended).toBe("timeout");
  });

  it("include the DNS lookup", async () => {
    const { startTimer, running } = manualTimers();
    const ended = guardedFetch("https://slow.example/", { startTimer, resolve: () => new Promise(() => {}) });
    await expect.poll(() => running.size).toBe(2);
    running.get(10_000)?.();
    await expect(ended).rejects.toMatchObject({ reason: "headers_timeout", requestCount: 0 });
  });

  it("fire in real time", async () => {
    setAnswer(answers.silence);
    expect(await refusal({ headersTimeoutMs: 50 })).toBe("headers_timeout");
    setAnswer(answers.stalled);
    expect(await refusal({ totalTimeoutMs: 100 })).toBe("timeout");
  });

  it("in total cover all hops, without the time spent in aroundHop", async () => {
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
      clock,
      startTimer,
      headersTimeoutMs: 1,
      totalTimeoutMs: 30_000,
      aroundHop: (_url, send) => {
        nowMs += 35_000;
        return send();
      },
    });
    expect(totals.filter((timeoutMs) => timeoutMs !== 1)).toEqual([30_000, 29_000, 28_000]);
    expect(answer.responseTimeMs).toBe(3_000);
  });

  it("never exceed the deadline", async () => {
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

describe("aborting", () => {
  it("ends the request immediately in any phase", async () => {
    for (const answer of [answers.silence, answers.stalled]) {
      const { requested, answer: observedAnswer } = observed(answer);
      setAnswer(observedAnswer);
      const caller = new AbortController();
      const ended = refusal({ signal: caller.signal });
      await requested;
      caller.abort();
      expect(await ended).toBe("aborted");
    }
  });

  it("before the start sends no request", async () => {
    expect(await refusal({ signal: AbortSignal.abort() })).toBe("aborted");
    expect(requests().length).toBe(0);
  });
});
