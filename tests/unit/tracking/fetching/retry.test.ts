import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { fetchFile } from "#lib/tracking/fetching/index";
import { deferred } from "#tests/support/deferred";
import { createManualClock, fetchContext, fetchFirst } from "#tests/support/fetch-context";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import {
  atFirst,
  bytes,
  cutAtOnce,
  file,
  held,
  htmlPage,
  silence,
  stalled,
  status,
  type VendorAnswer,
} from "#tests/support/vendor-answers";

let testVendors: TestVendors;
let vendor: TestVendor;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 1 });
  [vendor] = testVendors.vendors as [TestVendor];
});
afterAll(() => testVendors.close());
beforeEach(() => testVendors.clearRequests());

const fileRequestCount = () => testVendors.requests.filter(({ path }) => path !== "/robots.txt").length;

/** Fetches with its own clock and also returns the waits. */
async function fetchWaiting(answer: VendorAnswer, changes: Parameters<typeof fetchFirst>[1] = {}) {
  testVendors.setAnswer(vendor.slug, answer);
  const { waits, clock, sleep } = createManualClock();
  return { fetched: await fetchFirst(testVendors, { clock, sleep, ...changes }), waits };
}

describe("transient failures", () => {
  it.each([
    ["a 500", status(500)],
    ["a 503", status(503)],
    ["a 429", status(429)],
    ["a connection that is cut", cutAtOnce],
  ])("are retried: %s that succeeds on the third attempt", async (_what, failing) => {
    const { fetched, waits } = await fetchWaiting(atFirst(2, failing));
    expect(fetched).toMatchObject({ kind: "content", requestCount: 3 });
    expect(waits).toEqual([500, 1_000]);
  });

  it("are retried at most twice", async () => {
    const { fetched } = await fetchWaiting(atFirst(3, status(500)));
    expect(fetched).toMatchObject({ failure: "http_5xx", httpStatus: 500, requestCount: 3 });
    expect(fileRequestCount()).toBe(3);
  });

  it("are retried after a random wait whose upper bound doubles", async () => {
    expect((await fetchWaiting(status(500), { random: () => 0 })).waits).toEqual([0, 0]);
    const { waits } = await fetchWaiting(status(500), { random: () => 0.999 });
    expect(waits.map(Math.round)).toEqual([999, 1_998]);
  });

  it("include headers that are late once", async () => {
    const { fetch } = fetchContext(testVendors);
    const { fetched } = await fetchWaiting(atFirst(1, silence), {
      fetch: (url, options) => fetch(url, { headersTimeoutMs: 200, ...options }),
    });
    expect(fetched).toMatchObject({ kind: "content", requestCount: 2 });
  });
});

describe("permanent failures", () => {
  it.each([
    ["http_404", status(404)],
    ["http_410", status(410)],
    ["http_4xx", status(403)],
    ["html", bytes(htmlPage)],
    ["empty", bytes("")],
  ])("are not retried: %s", async (failure, answer) => {
    const { fetched, waits } = await fetchWaiting(answer);
    expect([fetched, waits]).toMatchObject([{ failure, requestCount: 1 }, []]);
  });

  it("include a body that used up its whole time", async () => {
    const { fetch } = fetchContext(testVendors);
    const { fetched } = await fetchWaiting(stalled, {
      fetch: (url, options) => fetch(url, { totalTimeoutMs: 200, ...options }),
    });
    expect(fetched).toMatchObject({ failure: "timeout", requestCount: 1 });
  });
});

describe("Retry-After", () => {
  it.each([
    ["10", 10_000],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7_000],
  ])("a wait of %s is honoured", async (header, waitMs) => {
    const { fetched, waits } = await fetchWaiting(atFirst(1, status(429, { "retry-after": header })));
    expect(fetched).toMatchObject({ kind: "content", requestCount: 2 });
    expect(waits).toEqual([waitMs]);
  });

  it.each([
    [429, "11", "http_429", 11_000],
    [503, "Thu, 01 Jan 2026 01:00:00 GMT", "http_5xx", 3_600_000],
    [429, "9999999", "http_429", 86_400_000],
  ])("a %i that requests %s reschedules the vendor instead", async (code, header, failure, retryAfterMs) => {
    const { fetched, waits } = await fetchWaiting(status(code, { "retry-after": header }));
    expect(fetched).toMatchObject({ failure, requestCount: 1, retryAfterMs });
    expect(waits).toEqual([]);
  });

  it("never shortens the regular wait", async () => {
    const { waits } = await fetchWaiting(status(503, { "retry-after": "0" }));
    expect(waits).toEqual([500, 1_000]);
  });

  it.each([
    ["120", 120_000],
    [" 1 ", 1_000],
    ["0", 0],
    ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
    ["Thursday, 01-Jan-26 00:01:00 GMT", 60_000],
    ["Thu Jan  1 00:00:02 2026 GMT", 2_000],
    ["99999999999999", 86_400_000],
    ["", null],
    ["-5", null],
    ["1.5", null],
    ["soon", null],
    ["2026", 2_026_000],
    ["Thu, nonsense", null],
    [undefined, null],
  ])("%j is %j ms", (header, waitMs) => {
    expect(parseRetryAfter(header, new Date("2026-01-01T00:00:00Z"))).toBe(waitMs);
  });
});

describe("a deadline", () => {
  it("no attempt starts after the deadline, and the last failure is returned", async () => {
    const { fetched, waits } = await fetchWaiting(status(500), { deadlineMs: 1_400 });
    expect(fetched).toMatchObject({ failure: "http_5xx", requestCount: 2 });
    expect(waits).toEqual([500]);
  });

  it("a deadline in the past sends nothing and does not blame the vendor", async () => {
    const { fetched } = await fetchWaiting(file(), { deadlineMs: 0 });
    expect(fetched).toMatchObject({ failure: "deadline", requestCount: 0 });
    expect(testVendors.requests).toEqual([]);
  });

  it("a deadline that passes while waiting for a turn sends nothing more", async () => {
    const { promise: opened, resolve: open } = deferred();
    testVendors.setAnswer(vendor.slug, held(opened));
    const { clock, pass, sleep } = createManualClock();
    const context = fetchContext(testVendors, { clock, sleep, deadlineMs: 1_000 });
    const request = { url: vendor.url, etag: null, lastModified: null };
    const fetches = Array.from({ length: 3 }, () => fetchFile(request, context));
    await expect.poll(fileRequestCount).toBe(2);
    pass(1_000);
    open();
    const [first, second, third] = await Promise.all(fetches);
    expect([first?.kind, second?.kind, third]).toMatchObject(["content", "content", { failure: "deadline" }]);
    expect(fileRequestCount()).toBe(2);
  });

  it("a deadline that passes during a response does not blame the vendor", async () => {
    const { fetch } = fetchContext(testVendors);
    const { clock, pass, sleep } = createManualClock();
    const { fetched } = await fetchWaiting(silence, {
      clock,
      sleep,
      deadlineMs: 5_000,
      fetch: (url, options) =>
        fetch(url, {
          ...options,
          startTimer: (_timeoutMs, onTime) => {
            if (url.toString().endsWith("/robots.txt")) return () => {};
            pass(10_000);
            const timer = setTimeout(onTime, 50);
            return () => clearTimeout(timer);
          },
        }),
    });
    expect(fetched).toMatchObject({ failure: "deadline" });
  });
});

describe("an aborted run", () => {
  it("ends its fetches at once, during a response and while waiting", async () => {
    const run = new AbortController();
    const asked = expect.poll(fileRequestCount).toBe(1);
    const answering = fetchWaiting(held(new Promise(() => {})), { signal: run.signal });
    await asked;
    run.abort();
    expect((await answering).fetched).toMatchObject({ failure: "aborted" });

    const second = new AbortController();
    const { fetched } = await fetchWaiting(status(500), {
      signal: second.signal,
      sleep: () => {
        second.abort();
        return Promise.reject(second.signal.reason);
      },
    });
    expect(fetched).toMatchObject({ failure: "aborted", requestCount: 1 });
  });
});
