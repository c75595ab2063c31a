import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import type { Database } from "#lib/platform/database/index";
import {
  type InstallationStatus,
  installationRegistry,
  maxAgeMs,
  readShared,
} from "#lib/server/metrics/installation-metrics";
import { addProcessMetrics, createRegistry } from "#lib/server/metrics/process-metrics";
import { type Family, parseOpenMetrics, sampleOf } from "#tests/support/open-metrics";

const status: InstallationStatus = {
  queues: [
    { name: "fetch", waiting: 3, running: 2, failed: 1, oldestS: 61.5, isPaused: false },
    { name: "analyse", waiting: 0, running: 0, failed: 0, oldestS: null, isPaused: true },
  ],
  deadFetches: 4,
  fetches: { changed: 5, failed: 6 },
  vendorsDue: 7,
  longestOverdueS: 8,
  deliveriesWaiting: 9,
  oldestDueDeliveryS: 10,
  mailsWaiting: 2,
  mails: { sent: 3, failed: 0 },
  deliveries: { delivered: 11, retrying: 12 },
  jobs: [
    { name: "prune", completedS: 13 },
    { name: "verify-fleet", completedS: null },
  ],
};

function setUp() {
  const registry = createRegistry();
  const observer = addProcessMetrics(registry);
  const read = async () => parseOpenMetrics(await registry.metrics());
  return { registry, observer, read };
}

describe("the metrics of a process", () => {
  test("count requests by endpoint, method and class of status, and measure their durations", async () => {
    const { observer, read } = setUp();
    observer.answered("getFeed", "GET", 200, 12);
    observer.answered("getFeed", "GET", 204, 700);
    observer.answered("getFeed", "GET", 429, 1);
    const families = await read();
    const requests = (code: string) =>
      sampleOf(families, `tapedeck_http_requests_total{endpoint="getFeed",method="GET",status="${code}"}`);
    expect([requests("2xx"), requests("4xx"), requests("5xx")]).toEqual([2, 1, undefined]);
    const bucket = (le: string) =>
      sampleOf(families, `tapedeck_http_request_duration_seconds_bucket{le="${le}",endpoint="getFeed"}`);
    expect([bucket("0.001"), bucket("0.025"), bucket("0.5"), bucket("1"), bucket("+Inf")]).toEqual([1, 2, 2, 3, 3]);
  });

  test("count streams, refusals and how late chunks were", async () => {
    const { observer, read } = setUp();
    observer.streamStarted();
    observer.streamEnded("stalled");
    observer.refused("key");
    for (const latenessMs of [0, 1, 1.1, 30, 9_000]) observer.chunkWritten(latenessMs);
    const families = await read();
    expect(sampleOf(families, "tapedeck_replay_streams_started_total")).toBe(1);
    expect(sampleOf(families, 'tapedeck_replay_streams_ended_total{outcome="stalled"}')).toBe(1);
    expect(sampleOf(families, 'tapedeck_refused_total{kind="key"}')).toBe(1);
    const bucket = (le: string) => sampleOf(families, `tapedeck_replay_chunk_lateness_seconds_bucket{le="${le}"}`);
    expect([bucket("0.001"), bucket("0.0025"), bucket("0.05"), bucket("2.5"), bucket("+Inf")]).toEqual([2, 3, 4, 4, 5]);
    expect(sampleOf(families, "tapedeck_replay_chunk_lateness_seconds_sum")).toBeCloseTo(9.0321);
  });

  test("count events of the payment provider, with the time of the last accepted one", async () => {
    const { observer, read } = setUp();
    const lastAccepted = async () => sampleOf(await read(), "tapedeck_payment_event_last_accepted_timestamp_seconds");
    for (let count = 0; count < 2; count += 1) observer.paymentEvent("rejected");
    expect(await lastAccepted()).toBe(0);
    observer.paymentEvent("accepted");
    const counted = async (outcome: string) =>
      sampleOf(await read(), `tapedeck_payment_events_total{outcome="${outcome}"}`);
    expect([await counted("rejected"), await counted("accepted")]).toEqual([2, 1]);
    expect(await lastAccepted()).toBeGreaterThan(1_700_000_000);
  });

  test("include those of Node.js, and can be read again", async () => {
    const { read } = setUp();
    await read();
    const families = await read();
    expect(sampleOf(families, "tapedeck_nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0);
    expect(sampleOf(families, "tapedeck_process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  });
});

describe("the metrics of the installation", () => {
  test("show the status", async () => {
    const families = parseOpenMetrics(await installationRegistry(status).metrics());
    const values = Object.fromEntries([...families.values()].flatMap(({ samples }) => [...samples]));
    expect(values).toEqual({
      tapedeck_database_up: 1,
      'tapedeck_queue_jobs{queue="fetch",state="waiting"}': 3,
      'tapedeck_queue_jobs{queue="fetch",state="running"}': 2,
      'tapedeck_queue_jobs{queue="fetch",state="failed"}': 1,
      'tapedeck_queue_jobs{queue="analyse",state="waiting"}': 0,
      'tapedeck_queue_jobs{queue="analyse",state="running"}': 0,
      'tapedeck_queue_jobs{queue="analyse",state="failed"}': 0,
      'tapedeck_queue_oldest_job_seconds{queue="fetch"}': 61.5,
      'tapedeck_queue_oldest_job_seconds{queue="analyse"}': 0,
      'tapedeck_queue_paused{queue="fetch"}': 0,
      'tapedeck_queue_paused{queue="analyse"}': 1,
      tapedeck_dead_fetches: 4,
      'tapedeck_fetches_last_hour{outcome="changed"}': 5,
      'tapedeck_fetches_last_hour{outcome="failed"}': 6,
      tapedeck_vendors_due: 7,
      tapedeck_vendors_overdue_seconds: 8,
      tapedeck_webhook_deliveries_waiting: 9,
      tapedeck_webhook_oldest_due_seconds: 10,
      tapedeck_mails_waiting: 2,
      'tapedeck_mails_last_hour{outcome="sent"}': 3,
      'tapedeck_mails_last_hour{outcome="failed"}': 0,
      'tapedeck_webhook_deliveries_last_hour{outcome="delivered"}': 11,
      'tapedeck_webhook_deliveries_last_hour{outcome="retrying"}': 12,
      'tapedeck_job_last_completed_seconds{name="prune"}': 13,
    });
  });

  test("are left out if the database does not answer, except that it does not", async () => {
    const families = parseOpenMetrics(await installationRegistry(undefined).metrics());
    expect([...families.keys()]).toEqual(["tapedeck_database_up"]);
    expect(sampleOf(families, "tapedeck_database_up")).toBe(0);
  });
});

describe("the status of the installation", () => {
  test("is read once for all scrapes of five seconds, also if the database does not answer", async () => {
    let [nowMs, readCount, isUp] = [1e12, 0, true];
    const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
    const read = async () => {
      readCount += 1;
      if (!isUp) throw new Error("no answer");
      return status;
    };
    const scrape = () => readShared(read, {} as Database, clock);
    expect(await Promise.all([scrape(), scrape()])).toEqual([status, status]);
    nowMs += maxAgeMs - 1;
    await scrape();
    expect(readCount).toBe(1);
    isUp = false;
    nowMs += 1;
    expect([await scrape(), await scrape(), readCount]).toEqual([undefined, undefined, 2]);
    [isUp, nowMs] = [true, nowMs + maxAgeMs];
    expect([await scrape(), readCount]).toEqual([status, 3]);
  });
});

test("the docs name every metric with its type, and no others", async () => {
  const { registry } = setUp();
  const merged = Registry.merge([createRegistry(), registry, installationRegistry(status)]);
  const families = parseOpenMetrics(await merged.metrics());
  const nameOf = (name: string, { type }: Family) => (type === "counter" ? `${name}_total` : name);
  const expected = [...families].map(([name, family]) => `${nameOf(name, family)} ${family.type}`);
  const page = readFileSync(resolve(import.meta.dirname, "../../../../content/docs/metrics.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`tapedeck_[^|]*) \| (counter|gauge|histogram) \|/gm)];
  const documented = rows.flatMap(([, names = "", type]) =>
    [...names.matchAll(/`(tapedeck_\w+)`/g)].map(([, name]) => `${name} ${type}`),
  );
  // Linux alone has these; the others are on every system.
  const onLinux = /^tapedeck_process_(open_fds|max_fds|virtual_memory_bytes|heap_bytes) /;
  const onEvery = (names: string[]) =>
    names.filter((name) => process.platform === "linux" || !onLinux.test(name)).sort();
  expect(onEvery(documented)).toEqual(onEvery(expected));
});
