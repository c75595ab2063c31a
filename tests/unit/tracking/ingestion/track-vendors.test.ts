import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decompressText } from "#lib/platform/compress-text";
import { hashText, readSnapshotText } from "#lib/tracking/snapshots/index";
import { applyUnified } from "#tests/support/apply-unified";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { createTracker, dayMs, hourMs } from "#tests/support/tracker";
import { file, gate, status } from "#tests/support/vendor-answers";

let database: TestDatabase;
let testVendors: TestVendors;
let ingest: Awaited<ReturnType<typeof createTracker>>;
const slugOf = (index: number) => testVendors.vendors[index]?.slug as string;

async function start(vendorCount: number): Promise<void> {
  testVendors = await startTestVendors({ vendorCount });
  ingest = await createTracker(database.client, testVendors);
}

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await testVendors.close();
  await database.drop();
});

describe("a run", () => {
  it("stores a snapshot of each vendor's file, with its counts and score", async () => {
    await start(5);
    expect(await ingest.run()).toEqual({ fetched: 5, changed: 5, unchanged: 0, failed: 0, left: 0 });
    const { snapshots, diffs, fetches, ...vendor } = await ingest.vendor(slugOf(0));
    const text = testVendors.textOf(slugOf(0));
    expect(snapshots).toMatchObject([
      {
        contentHash: hashText(text),
        byteSize: Buffer.byteLength(text),
        lineCount: 18,
        linkCount: 12,
        httpStatus: 200,
        securityScore: 0,
        createdAt: ingest.clock.now(),
        fetchedAt: ingest.clock.now(),
      },
    ]);
    expect(await readSnapshotText(database.client, snapshots[0]?.id as string)).toBe(text);
    expect(diffs).toEqual([]);
    expect(fetches).toMatchObject([
      {
        outcome: "changed",
        failure: null,
        httpStatus: 200,
        snapshotId: snapshots[0]?.id,
        byteSize: Buffer.byteLength(text),
      },
    ]);
    expect(vendor).toMatchObject({
      status: "active",
      etag: '"v1"',
      latestSnapshotId: snapshots[0]?.id,
      latestDiffId: null,
      nextFetchAt: new Date(ingest.clock.now().getTime() + 6 * hourMs),
      lastFetchedAt: ingest.clock.now(),
    });
  });

  it("records a file that needs too much time as a failed fetch, and goes on with the others", async () => {
    await start(2);
    testVendors.setVersions(slugOf(0), ["line\n".repeat(100_000)]);
    const workerLimits = { timeoutMs: 1, maxHeapMib: 512 };
    expect(await ingest.run({}, { workerLimits })).toMatchObject({ fetched: 2, changed: 1, failed: 1 });
    expect((await ingest.vendor(slugOf(0))).fetches).toMatchObject([
      { failure: "too_complex", detail: "scoring and comparing the file takes longer than 1 ms" },
    ]);
    ingest.pass(7 * hourMs);
    expect(await ingest.run()).toMatchObject({ changed: 1, unchanged: 1 });
  });

  it("fetches the next file when one that goes to the worker thread is stored, not while it waits there", async () => {
    await start(2);
    testVendors.setVersions(slugOf(0), ["line\n".repeat(100_000)]);
    const requestsOfNext: number[] = [];
    const announceChanges = async () => void requestsOfNext.push(testVendors.requestsOf(slugOf(1)).length);
    expect(await ingest.run({ concurrency: 1 }, { announceChanges })).toMatchObject({ fetched: 2, changed: 2 });
    expect(requestsOfNext[0]).toBe(0);
  });

  it("fetches only vendors that are due", async () => {
    await start(3);
    await ingest.run();
    testVendors.clearRequests();
    ingest.pass(5 * hourMs);
    expect(await ingest.run()).toMatchObject({ fetched: 0, left: 0 });
    expect(testVendors.requests).toEqual([]);
  });

  it("only updates the time of a snapshot with unchanged content, and does not request the body", async () => {
    await start(1);
    await ingest.run();
    const first = ingest.clock.now();
    ingest.pass(7 * hourMs);
    expect(await ingest.run()).toMatchObject({ changed: 0, unchanged: 1 });
    testVendors.setAnswer(slugOf(0), file({ etag: false }));
    ingest.pass(8 * hourMs);
    expect(await ingest.run()).toMatchObject({ changed: 0, unchanged: 1 });
    const { snapshots, fetches, lastFetchedAt } = await ingest.vendor(slugOf(0));
    expect(snapshots).toMatchObject([{ createdAt: first, fetchedAt: ingest.clock.now() }]);
    expect(fetches.map(({ outcome, byteSize }) => [outcome, byteSize === null])).toEqual([
      ["changed", false],
      ["not_modified", true],
      ["unchanged", false],
    ]);
    expect(lastFetchedAt).toEqual(ingest.clock.now());
  });

  it("stores a change with the diff from the previous version", async () => {
    await start(1);
    await ingest.run();
    ingest.pass(7 * hourMs);
    const before = testVendors.textOf(slugOf(0));
    testVendors.setVersion(slugOf(0), 2);
    expect(await ingest.run()).toMatchObject({ changed: 1 });
    const { snapshots, diffs, latestSnapshotId, latestDiffId, etag } = await ingest.vendor(slugOf(0));
    const [previous, current] = snapshots;
    expect(diffs).toMatchObject([
      {
        previousSnapshotId: previous?.id,
        currentSnapshotId: current?.id,
        linesAdded: 1,
        linesRemoved: 0,
        linksAdded: ["https://docs.example.com/guides/13"],
        linksRemoved: [],
        exact: true,
      },
    ]);
    const [diff] = diffs as [(typeof diffs)[0]];
    expect(applyUnified(before, await decompressText(diff.compressedText))).toBe(testVendors.textOf(slugOf(0)));
    expect([latestSnapshotId, latestDiffId, etag]).toEqual([current?.id, diff.id, '"v2"']);
  });

  it("stores a file that has lost nearly all lines once the third fetch returns no more, and one that is back at once", async () => {
    await start(2);
    const long = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("");
    for (const index of [0, 1]) testVendors.setVersions(slugOf(index), [long, "# Maintenance\n\nBack soon.\n"]);
    await ingest.run();
    for (const index of [0, 1]) testVendors.setVersion(slugOf(index), 2);
    const outcomes: object[] = [];
    for (let run = 1; run <= 3; run += 1) {
      ingest.pass(7 * hourMs);
      if (run === 3) testVendors.setVersion(slugOf(1), 1);
      outcomes.push(await ingest.run());
    }
    const failed = { changed: 0, unchanged: 0, failed: 2 };
    expect(outcomes).toMatchObject([failed, failed, { changed: 1, unchanged: 1, failed: 0 }]);
    const lost = await ingest.vendor(slugOf(0));
    expect(lost.snapshots.map(({ lineCount }) => lineCount)).toEqual([40, 3]);
    expect(lost.fetches[1]).toMatchObject({
      failure: "shrunk",
      detail: "the file has 3 of 40 lines; it is stored if the next fetches return no more",
    });
    expect((await ingest.vendor(slugOf(1))).snapshots).toHaveLength(1);
  });

  it("stores identical content once, even if it returns or two vendors have it", async () => {
    await start(2);
    const [one, two] = [testVendors.textOf(slugOf(0)), "# Another\n"];
    testVendors.setVersions(slugOf(0), [one, two]);
    testVendors.setVersions(slugOf(1), [one]);
    await ingest.run();
    for (const version of [2, 1]) {
      ingest.pass(7 * hourMs);
      testVendors.setVersion(slugOf(0), version);
      await ingest.run();
    }
    expect((await ingest.vendor(slugOf(0))).snapshots).toHaveLength(3);
    expect(await database.client.content.count()).toBe(2);
  });

  it("fetches vendors concurrently, at most two per host", async () => {
    await start(12);
    let openCount = 0;
    let mostOpen = 0;
    const { contextOf } = ingest;
    const { fetch } = contextOf();
    const counted: typeof fetch = async (url, options) => {
      if (String(url).endsWith("/robots.txt")) return fetch(url, options);
      mostOpen = Math.max(mostOpen, ++openCount);
      try {
        return await fetch(url, options);
      } finally {
        openCount -= 1;
      }
    };
    await ingest.run({ concurrency: 4 }, { fetch: counted });
    expect(mostOpen).toBe(4);
    expect(testVendors.maxConcurrent()).toBeLessThanOrEqual(2);
  });

  it("ends at its deadline, and the next run starts with the remaining vendors", async () => {
    await start(4);
    const { fetch } = ingest.contextOf();
    const slow: typeof fetch = (url, options) => {
      if (!String(url).endsWith("/robots.txt")) ingest.pass(6_000);
      return fetch(url, options);
    };
    const deadlineMs = ingest.clock.monotonicMs() + 20_000;
    const first = await ingest.run({ concurrency: 1 }, { fetch: slow, deadlineMs });
    expect(first).toMatchObject({ fetched: 2, changed: 2 });
    expect(await ingest.run()).toMatchObject({ fetched: 2, changed: 2, left: 0 });
    const fetched = await database.client.fetch.groupBy({ by: ["vendorId"], _count: true });
    expect(fetched.map(({ _count }) => _count)).toEqual([1, 1, 1, 1]);
  });

  it("continues with other vendors if one file cannot be processed", async () => {
    await start(3);
    const { fetch } = ingest.contextOf();
    const broken: typeof fetch = (url, options) => {
      if (String(url).startsWith(testVendors.vendors[1]?.origin as string)) throw new TypeError("a fault");
      return fetch(url, options);
    };
    expect(await ingest.run({}, { fetch: broken })).toMatchObject({ changed: 2, failed: 1 });
    const { fetches } = await ingest.vendor(slugOf(1));
    expect(fetches).toMatchObject([{ outcome: "failed", failure: "internal_error" }]);
    expect(fetches[0]?.detail).toBe("internal error; see the server's log");
  });

  it("does not fetch paused vendors and samples", async () => {
    await start(3);
    await database.client.vendor.update({ where: { slug: slugOf(0) }, data: { status: "paused" } });
    await database.client.vendor.update({ where: { slug: slugOf(1) }, data: { origin: "sample" } });
    expect(await ingest.run()).toMatchObject({ fetched: 1, left: 0 });
    expect(new Set(testVendors.requests.map(({ slug }) => slug))).toEqual(new Set([slugOf(2)]));
  });
});

describe("the status of a vendor", () => {
  it("changes to unreachable after failures, and back after the first success", async () => {
    await start(1);
    await ingest.run();
    testVendors.setAnswer(slugOf(0), status(500));
    const seen: [number, string, number][] = [];
    const begin = ingest.clock.now().getTime();
    ingest.pass(6 * hourMs);
    for (let index = 0; index < 7; index += 1) {
      await ingest.run();
      const { status: state, failureCount, nextFetchAt } = await ingest.vendor(slugOf(0));
      const hours = Math.round((ingest.clock.now().getTime() - begin) / hourMs);
      seen.push([hours, state, failureCount]);
      ingest.pass(nextFetchAt.getTime() - ingest.clock.now().getTime());
    }
    expect(seen).toEqual([
      [6, "active", 1],
      [7, "active", 2],
      [9, "active", 3],
      [13, "active", 4],
      [21, "active", 5],
      [37, "unreachable", 6],
      [61, "unreachable", 7],
    ]);
    const lost = await ingest.vendor(slugOf(0));
    expect(lost.statusChanges).toMatchObject([{ from: "active", to: "unreachable" }]);
    expect(lost.statusChanges[0]?.reason).toContain("6 consecutive fetches failed since");
    expect(lost.snapshots).toHaveLength(1);
    expect(lost.latestSnapshotId).not.toBeNull();

    testVendors.setAnswer(slugOf(0), file());
    await ingest.run();
    const back = await ingest.vendor(slugOf(0));
    expect(back).toMatchObject({ status: "active", failureCount: 0, failingSince: null });
    expect(back.statusChanges).toMatchObject([{ to: "unreachable" }, { from: "unreachable", to: "active" }]);
  });

  it("stays paused if the fetch in progress then fails for the last time", async () => {
    await start(1);
    const { answer, arrived, open } = gate(status(500));
    testVendors.setAnswer(slugOf(0), answer);
    const data = { failureCount: 9, failingSince: new Date(ingest.clock.now().getTime() - 3 * dayMs) };
    await database.client.vendor.update({ where: { slug: slugOf(0) }, data });
    const running = ingest.run();
    await arrived;
    await database.client.vendor.update({ where: { slug: slugOf(0) }, data: { status: "paused" } });
    open();
    await running;
    expect(await ingest.vendor(slugOf(0))).toMatchObject({ status: "paused", failureCount: 10, statusChanges: [] });
  });
});
