import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "#lib/platform/database/index";
import { isExtended } from "#tests/support/extended";
import { bearer } from "#tests/support/limits";
import { parseOpenMetrics, sampleOf } from "#tests/support/open-metrics";
import { type OwnPostgres, startOwnPostgres } from "#tests/support/own-postgres";
import { readStream } from "#tests/support/read-stream";
import { type Served, serve } from "#tests/support/serve";
import { longTimeouts } from "#tests/support/start-app";
import { addVendor } from "#tests/support/vendor-rows";

const token = "a token of the metrics";

let postgres: OwnPostgres;
let measured: Served;
let second: Served;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const environment = { DATABASE_URL: postgres.url, LOG_LEVEL: "warn", ...longTimeouts, DATABASE_TIMEOUT_MS: "2000" };
  measured = await serve("node", { ...environment, METRICS_TOKEN: token, REQUESTS_PER_DAY_WITHOUT_KEY: "3" });
  second = isExtended ? await serve("route", { ...environment, METRICS_TOKEN: token }) : measured;
  const database = createDatabase(postgres.url);
  await addVendor(database, { at: new Date(Date.now() - 3_600_000) });
  await database.$disconnect();
});
afterAll(async () => {
  for (const served of new Set([measured, second])) await served?.stop();
  await postgres.remove();
});

async function scrape({ origin }: Served) {
  const { status, headers, body } = await readStream(`${origin}/metrics`, { headers: bearer(token) });
  expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
  expect(headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  return parseOpenMetrics(body.toString());
}

/** Scrapes until a sample is what it should be: what was read from the database is shared for five seconds. */
const untilSample = (served: Served, sample: string, value: number) =>
  expect.poll(async () => sampleOf(await scrape(served), sample), { interval: 500, timeout: 300_000 }).toBe(value);

describe("GET /metrics", () => {
  it.each([
    ["no", {}],
    ["a wrong", bearer("a token of the metricz")],
  ])("is a 401 with %s token", async (_kind, headers) => {
    for (const { origin } of [measured, second]) {
      const { status, body } = await readStream(`${origin}/metrics`, { headers: { ...headers } });
      expect([status, JSON.parse(body.toString())]).toMatchObject([401, { code: "unauthorized", status: 401 }]);
    }
  });

  it.each([
    ["the Node server", () => measured],
    ...(isExtended ? [["route handlers", () => second] as const] : []),
  ] as const)("counts requests, unknown paths and streams of %s", async (_adapter, get) => {
    const served = get();
    const before = await scrape(served);
    await readStream(`${served.origin}/api/v1/replay/developer-tools/explain-sse?speed=max`);
    await readStream(`${served.origin}/api/v1/no-such-path`);
    const after = await scrape(served);
    const risen = (sample: string) => (sampleOf(after, sample) ?? 0) - (sampleOf(before, sample) ?? 0);
    expect(risen('tapedeck_http_requests_total{endpoint="streamReplay",method="GET",status="2xx"}')).toBe(1);
    expect(risen('tapedeck_http_requests_total{endpoint="none",method="any",status="4xx"}')).toBe(1);
    expect(risen('tapedeck_http_requests_total{endpoint="getMetrics",method="GET",status="2xx"}')).toBe(1);
    expect(risen("tapedeck_replay_streams_started_total")).toBe(1);
    expect(risen('tapedeck_replay_streams_ended_total{outcome="complete"}')).toBe(1);
    expect(risen("tapedeck_replay_chunk_lateness_seconds_count")).toBeGreaterThan(10);
    expect(risen('tapedeck_http_request_duration_seconds_count{endpoint="streamReplay"}')).toBe(1);
    expect(sampleOf(after, 'tapedeck_database_pool_connections{pool="requests"}')).toBeGreaterThan(0);
    expect(sampleOf(after, "tapedeck_nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
  });

  it("counts pages in front of Next.js", async () => {
    const page = 'tapedeck_http_requests_total{endpoint="page",method="GET",status="2xx"}';
    const before = sampleOf(await scrape(measured), page) ?? 0;
    await readStream(`${measured.origin}/pricing`);
    await untilSample(measured, page, before + 1);
  });

  it("shows a stream while it is open, and that its reader left", async () => {
    const controller = new AbortController();
    const url = `${measured.origin}/api/v1/replay/developer-tools/explain-sse?speed=0.1`;
    const response = await fetch(url, { signal: controller.signal });
    await untilSample(measured, "tapedeck_replay_streams_open", 1);
    controller.abort();
    await response.text().catch(() => undefined);
    await untilSample(measured, "tapedeck_replay_streams_open", 0);
    expect(sampleOf(await scrape(measured), 'tapedeck_replay_streams_ended_total{outcome="disconnected"}')).toBe(1);
  });

  it("counts refusals by a limit, and is not limited itself", async () => {
    for (let count = 0; count < 6; count += 1) await readStream(`${measured.origin}/api/v1/feed`);
    await untilSample(measured, 'tapedeck_refused_total{kind="address"}', 3);
  });

  it("has the same metrics of the installation on each instance, until the database does not answer", async () => {
    await untilSample(measured, "tapedeck_vendors_due", 1);
    await untilSample(second, "tapedeck_vendors_due", 1);
    const installation = async (served: Served) => {
      const families = [...(await scrape(served))];
      return families.filter(([name]) => /_(queue|vendors|webhook|fetches|job)_|database_up/.test(name));
    };
    const names = async (served: Served) => (await installation(served)).map(([name]) => name);
    expect(await names(second)).toEqual(await names(measured));
    const queues = async (served: Served) => (await installation(served)).find(([name]) => /queue_jobs/.test(name));
    expect(await queues(second)).toEqual(await queues(measured));
    postgres.hang();
    await untilSample(measured, "tapedeck_database_up", 0);
    expect(await names(measured)).toEqual(["tapedeck_database_up"]);
    postgres.resume();
    await untilSample(measured, "tapedeck_database_up", 1);
  });
});
