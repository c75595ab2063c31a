import type { Socket } from "node:net";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hourMs } from "#lib/platform/time";
import { fetchFile, RobotsCache } from "#lib/tracking/fetching/index";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { createManualClock, fetchContext, fetchFirst } from "#tests/support/fetch-context";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import * as answers from "#tests/support/vendor-answers";

const { atFirst, bytes, file, redirect, status } = answers;
let testVendors: TestVendors;
let first: TestVendor;
let second: TestVendor;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 2 });
  [first, second] = testVendors.vendors as [TestVendor, TestVendor];
});
afterAll(() => testVendors.close());
beforeEach(() => {
  testVendors.setAnswer(first.slug, file());
  testVendors.setRobotsAnswer(first.slug, status(404));
  testVendors.setRobotsAnswer(second.slug, status(404));
  testVendors.clearRequests();
});

const requestsFor = (path: string) => testVendors.requests.filter((request) => request.path === path);
const robots = (...lines: string[]) => bytes(`${lines.join("\n")}\n`);

async function outcomeWith(answer: answers.VendorAnswer): Promise<string> {
  testVendors.setRobotsAnswer(first.slug, answer);
  const fetched = await fetchFirst(testVendors);
  return fetched.kind === "failed" ? fetched.failure : fetched.kind;
}

describe("robots.txt", () => {
  it.each([
    ["all robots are allowed", robots("User-agent: *", "Allow: /")],
    ["it is empty", robots("")],
    ["only another robot is disallowed", robots("User-agent: OtherBot", "Disallow: /")],
    ["our robot is allowed by name", robots("User-agent: *", "Disallow: /", "", "User-agent: TapedeckBot", "Allow: /")],
    ["only other paths are disallowed", robots("User-agent: *", "Disallow: /private/", "Disallow: /llms.txt.old")],
    ["the longer rule allows it", robots("User-agent: *", "Disallow: /", "Allow: /llms.txt")],
    ["it is an HTML page", bytes(answers.htmlPage)],
    ["it starts with a byte-order mark", robots("\ufeffUser-agent: *", "Allow: /")],
    ["it is missing", status(404)],
    ["it returns 403", status(403)],
    ["it returns 410", status(410)],
    ["it is in a redirect loop", redirect("/robots.txt")],
    ["the disallowing rule is beyond 512 KiB", robots(`#${"x".repeat(512 * 1024)}`, "User-agent: *", "Disallow: /")],
  ])("allows the fetch if %s", async (_what, answer) => {
    expect(await outcomeWith(answer)).toBe("content");
  });

  it("is fetched over the connection of the file", async () => {
    const sockets = new Set<Socket>();
    const counted = (answer: answers.VendorAnswer): answers.VendorAnswer => {
      return (visit) => {
        sockets.add(visit.request.socket);
        return answer(visit);
      };
    };
    testVendors.setAnswer(first.slug, counted(file()));
    expect(await outcomeWith(counted(robots("")))).toBe("content");
    expect(sockets.size).toBe(1);
  });

  it.each([
    ["all robots are disallowed", robots("User-agent: *", "Disallow: /")],
    [
      "our robot is disallowed by name",
      robots("User-agent: tapedeckbot", "Disallow: /", "", "User-agent: *", "Allow: /"),
    ],
    ["the file is disallowed", robots("User-agent: *", "Disallow: /*.txt$")],
    ["a byte-order mark precedes the rules", robots("\ufeffUser-agent: *", "Disallow: /")],
    ["the disallowing rule is within 512 KiB", robots("User-agent: *", "Disallow: /", `#${"x".repeat(600 * 1024)}`)],
  ])("disallows the fetch if %s", async (_what, answer) => {
    expect(await outcomeWith(answer)).toBe("robots_disallowed");
    expect(requestsFor("/llms.txt")).toEqual([]);
  });

  it.each([
    ["it returns 500", status(500)],
    ["it returns 429", status(429)],
    ["its connection is cut", answers.cutAtOnce],
    ["the response is not HTTP", (({ request }) => void request.socket.end("no")) as answers.VendorAnswer],
  ])("the fetch fails after three attempts if %s", async (_what, answer) => {
    expect(await outcomeWith(answer)).toBe("robots_unreachable");
    expect(requestsFor("/llms.txt")).toEqual([]);
  });

  it("robots.txt is retried like the file", async () => {
    expect(await outcomeWith(atFirst(2, status(503)))).toBe("content");
    expect(requestsFor("/robots.txt").length).toBe(3);
  });

  it("a Retry-After of robots.txt reschedules the vendor", async () => {
    testVendors.setRobotsAnswer(first.slug, status(503, { "retry-after": "3600" }));
    expect(await fetchFirst(testVendors)).toMatchObject({ failure: "robots_unreachable", retryAfterMs: 3_600_000 });
    expect(requestsFor("/robots.txt").length).toBe(1);
  });

  it("redirects of robots.txt are followed, but never to a private address", async () => {
    testVendors.setRobotsAnswer(second.slug, robots("User-agent: *", "Disallow: /"));
    expect(await outcomeWith(redirect(`${second.origin}/robots.txt`))).toBe("robots_disallowed");
    expect(await outcomeWith(redirect("http://127.0.0.1:9/robots.txt"))).toBe("refused_address");
  });

  it("the robots.txt of a redirect's target applies too", async () => {
    testVendors.setAnswer(first.slug, redirect(second.url));
    expect(await fetchFirst(testVendors)).toMatchObject({ kind: "content", requestCount: 2 });
    testVendors.setRobotsAnswer(second.slug, robots("User-agent: *", "Disallow: /"));
    expect(await fetchFirst(testVendors)).toMatchObject({ failure: "robots_disallowed", requestCount: 1 });
  });

  it("robots.txt is read once per run, also by concurrent fetches", async () => {
    const context = fetchContext(testVendors);
    const request = { url: first.url, etag: null, lastModified: null };
    await Promise.all(Array.from({ length: 4 }, () => fetchFile(request, context)));
    await fetchFile({ ...request, url: `${first.origin}/llms-full.txt` }, context);
    expect([requestsFor("/robots.txt").length, testVendors.requests.length]).toEqual([1, 6]);
  });
});

describe("the robots cache", () => {
  const known = { kind: "known" as const, rules: [] };

  it("keeps the most recently used origins, up to its limit", async () => {
    const cache = new RobotsCache(undefined, 2);
    const loads: string[] = [];
    const ask = (origin: string) =>
      cache.getRules(origin, async () => {
        loads.push(origin);
        return known;
      });
    for (const origin of ["a", "b", "a", "c", "a", "b"]) await ask(origin);
    expect(loads).toEqual(["a", "b", "c", "b"]);
  });

  it("does not keep rules that an aborted or failed load left unknown", async () => {
    const cache = new RobotsCache();
    const unknown = { kind: "unknown" as const, failure: "aborted" as const, detail: "", retryAfterMs: null };
    await cache.getRules("a", async () => unknown);
    expect(await cache.getRules("a", async () => known)).toBe(known);
    await cache.getRules("b", () => Promise.reject(new Error("a fault"))).catch(() => undefined);
    expect(await cache.getRules("b", async () => known)).toBe(known);
  });
});

describe("stored rules", () => {
  const rules = [{ pattern: "/private/", isAllowed: false }];
  const origin = "https://docs.acme.example";
  const load = async () => ({ kind: "known" as const, rules });
  const neverLoad = () => Promise.reject(new Error("loaded again"));
  let database: TestDatabase;
  let now: ReturnType<typeof createManualClock>;
  const openCache = () => {
    const log = pino({ level: "silent" });
    return new RobotsCache({ database: database.client, clock: now.clock, log });
  };
  beforeEach(async () => {
    database = await createTestDatabase();
    now = createManualClock();
    const cache = openCache();
    await cache.getRules(origin, load);
    await cache.flush();
  });
  afterEach(() => database.drop());

  it("are used by other runs for twelve hours, and for no longer by one that read them late", async () => {
    now.pass(11 * hourMs);
    const cache = openCache();
    await cache.preload([origin, "https://other.example"]);
    expect(await cache.getRules(origin, neverLoad)).toEqual({ kind: "known", rules });
    now.pass(hourMs);
    const late = openCache();
    await late.preload([origin]);
    await expect(late.getRules(origin, neverLoad)).rejects.toThrow("loaded again");
  });

  it("are replaced by newer ones, and those of unknown or very long files are not stored", async () => {
    const cache = openCache();
    const failure = { failure: "robots_unreachable" as const, detail: "", retryAfterMs: null };
    await cache.getRules(origin, async () => ({ kind: "known", rules: [] }));
    await cache.getRules("https://busy.example", async () => ({ kind: "unknown", ...failure }));
    const long = [{ pattern: "/".repeat(40_000), isAllowed: true }];
    await cache.getRules("https://long.example", async () => ({ kind: "known", rules: long }));
    await cache.flush();
    const stored = await database.client.robotsRules.findMany({ select: { origin: true, rules: true } });
    expect(stored).toEqual([{ origin, rules: [] }]);
  });
});
