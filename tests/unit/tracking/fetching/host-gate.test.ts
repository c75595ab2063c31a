import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { fetchFile, HostGate } from "#lib/tracking/fetching/index";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { deferred } from "#tests/support/deferred";
import { eventually } from "#tests/support/eventually";
import { fetchContext } from "#tests/support/fetch-context";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import { file, held, redirect, type VendorAnswer } from "#tests/support/vendor-answers";

let testVendors: TestVendors;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 2 });
});
afterAll(() => testVendors.close());

describe("the host gate", () => {
  it("at most two tasks run per host, and every task runs", async () => {
    const plan = fc.array(fc.record({ host: fc.constantFrom("a", "b"), fails: fc.boolean() }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(plan, fc.scheduler(), async (tasks, scheduler) => {
        const gate = new HostGate();
        const open = new Map<string, number>();
        let mostOpen = 0;
        const ended = tasks.map(async ({ host, fails }) => {
          await scheduler.schedule(Promise.resolve());
          await gate.run(host, async () => {
            open.set(host, (open.get(host) ?? 0) + 1);
            mostOpen = Math.max(mostOpen, open.get(host) ?? 0);
            await scheduler.schedule(Promise.resolve());
            open.set(host, (open.get(host) ?? 0) - 1);
            if (fails) throw new Error("planned");
          });
        });
        const all = Promise.allSettled(ended);
        await scheduler.waitFor(all);
        expect(mostOpen).toBeLessThanOrEqual(2);
        expect((await all).map(({ status }) => status)).toEqual(
          tasks.map(({ fails }) => (fails ? "rejected" : "fulfilled")),
        );
      }),
    );
  });

  it("counts all ports of a host as one, for files and for robots.txt, and tells only those of this machine apart", async () => {
    const hosts: string[] = [];
    class RecordedGate extends HostGate {
      override run<T>(host: string, task: () => Promise<T>): Promise<T> {
        hosts.push(host);
        return super.run(host, task);
      }
    }
    const answer = { status: 404, headers: {}, body: new Uint8Array(), requestCount: 1, responseTimeMs: 1 };
    const context = fetchContext(testVendors, {
      hosts: new RecordedGate(),
      fetch: async (given, { aroundHop } = {}) => {
        const url = new URL(given);
        await aroundHop?.(url, async () => answer);
        return { ...answer, url: url.href };
      },
    });
    for (const origin of ["https://a.example:8443", "http://a.example:9000", "http://127.0.0.1:9000"])
      await fetchFile({ url: `${origin}/llms.txt`, etag: null, lastModified: null }, context);
    expect(hosts).toEqual([...Array(4).fill("a.example"), ...Array(2).fill("127.0.0.1:9000")]);
  });

  it("an aborted task leaves the queue and the next one runs", async () => {
    const gate = new HostGate();
    const { promise: opened, resolve: leave } = deferred();
    const inside = [gate.run("a", () => opened), gate.run("a", () => opened)];
    const caller = new AbortController();
    const waiting = gate.run("a", async () => "never", { signal: caller.signal });
    const next = gate.run("a", async () => "next");
    caller.abort(new Error("given up"));
    await expect(waiting).rejects.toThrow("given up");
    leave();
    await Promise.all(inside);
    expect(await next).toBe("next");
  });
});

describe("host gates of several processes", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Each as in a process of its own, with its own connections. */
  async function withGates(count: number, use: (gates: HostGate[]) => Promise<void>): Promise<void> {
    const clients = Array.from({ length: count }, () => createDatabase(database.url));
    const log = pino({ level: "silent" });
    try {
      await use(clients.map((client) => new HostGate({ database: client, ids: systemIds, log })));
    } finally {
      await Promise.all(clients.map((client) => client.$disconnect()));
    }
  }

  it("start one request a second at a host, and do not hold up other hosts", () =>
    withGates(3, async (gates) => {
      const starts: number[] = [];
      const otherStarts: number[] = [];
      const begin = performance.now();
      await Promise.all(
        gates.flatMap((gate, index) => [
          gate.run("a", async () => starts.push(performance.now() - begin)),
          gate.run(`other-${index}`, async () => otherStarts.push(performance.now() - begin)),
        ]),
      );
      starts.sort((a, b) => a - b);
      // A late start shortens the time to the next one, but none is before its time.
      expect(starts.map((at, index) => at >= index * 990)).toEqual([true, true, true]);
      expect(Math.max(...otherStarts)).toBeLessThan(starts[2] as number);
    }));

  it("run at most two requests at a time, also if they take long, and free the slots at the end", () =>
    withGates(2, async (gates) => {
      const release = [deferred(), deferred()];
      const running: number[] = [];
      const long = release.map(({ promise }, index) =>
        (gates[index] as HostGate).run("b", async () => {
          running.push(index);
          await promise;
        }),
      );
      await eventually(() => expect(running).toHaveLength(2));
      const third = (gates[0] as HostGate).run("b", async () => running.push(2));
      const robots = (gates[1] as HostGate).run("b", async () => running.push(3), { isUnpaced: true });
      const readSlots = async () => {
        const [slot] = await database.client.$queryRaw<{ until: Date; left: number }[]>`
          SELECT least(first_until, second_until) AS until,
            extract(epoch FROM greatest(first_until, second_until) - clock_timestamp())::float AS left
          FROM host_slots WHERE host = 'b'`;
        return { untilMs: slot?.until.getTime() ?? 0, leftS: slot?.left ?? 0 };
      };
      const { untilMs: firstUntilMs } = await readSlots();
      await eventually(async () => {
        const { untilMs, leftS } = await readSlots();
        expect(untilMs).toBeGreaterThan(firstUntilMs + 5_000);
        // So long are they held after their process has ended.
        expect(leftS).toBeLessThanOrEqual(10);
      });
      expect(running).toHaveLength(2);
      release[0]?.resolve();
      await Promise.all([third, robots]);
      release[1]?.resolve();
      await Promise.all(long);
      expect([...running].sort()).toEqual([0, 1, 2, 3]);
    }));

  it("a request without pace starts at once", () =>
    withGates(1, async ([gate]) => {
      await gate?.run("c", async () => undefined);
      const started: string[] = [];
      await Promise.all([
        gate?.run("c", async () => started.push("paced")),
        gate?.run("c", async () => started.push("unpaced"), { isUnpaced: true }),
      ]);
      expect(started).toEqual(["unpaced", "paced"]);
      const [slot] = await database.client.$queryRaw<{ hosts: number }[]>`
        SELECT count(*)::int AS hosts FROM host_slots WHERE host = 'c'`;
      expect(slot).toEqual({ hosts: 1 });
    }));
});

describe("fetches", () => {
  it("requests for a redirected robots.txt wait for their turn at the target host", async () => {
    const [first, second] = testVendors.vendors as [TestVendor, TestVendor];
    const { promise: opened, resolve: release } = deferred();
    testVendors.setAnswer(first.slug, file());
    testVendors.setAnswer(second.slug, held(opened));
    testVendors.setRobotsAnswer(first.slug, redirect(`${second.origin}/robots.txt?for=first`));
    const context = fetchContext(testVendors);
    const ask = (url: string) => fetchFile({ url, etag: null, lastModified: null }, context);
    const seenBySecond = () => testVendors.requestsOf(second.slug).map(({ path }) => path);
    testVendors.clearRequests();
    const busy = [ask(second.url), ask(second.url)];
    await expect.poll(() => seenBySecond().length).toBe(3);
    const waiting = ask(first.url);
    await expect.poll(() => testVendors.requestsOf(first.slug).length).toBe(1);
    release();
    expect((await Promise.all([...busy, waiting])).map(({ kind }) => kind)).toEqual(Array(3).fill("content"));
    expect(seenBySecond()).toEqual(["/robots.txt", "/llms.txt", "/llms.txt", "/robots.txt?for=first"]);
    expect(testVendors.maxConcurrent(second.slug)).toBe(2);
  });

  it("fetches that redirect to each other's hosts do not deadlock", async () => {
    const [first, second] = testVendors.vendors as [TestVendor, TestVendor];
    const crossing = ({ origin }: TestVendor): VendorAnswer => {
      return (visit) => (visit.path === "/llms.txt" ? redirect(`${origin}/moved.txt`) : file())(visit);
    };
    testVendors.setAnswer(first.slug, crossing(second));
    testVendors.setAnswer(second.slug, crossing(first));
    const context = fetchContext(testVendors);
    const urls = Array.from({ length: 8 }, (_, index) => (index % 2 ? first.url : second.url));
    const fetched = await Promise.all(urls.map((url) => fetchFile({ url, etag: null, lastModified: null }, context)));
    expect(fetched.map(({ kind }) => kind)).toEqual(Array(8).fill("content"));
    expect(testVendors.maxConcurrent()).toBeLessThanOrEqual(2);
  });
});
