import { pino } from "pino";
import { dispatch, openQueues } from "#lib/jobs/queue/index";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { minuteMs } from "#lib/platform/time";
import { findDueIds } from "#lib/tracking/index";
import { createTestDatabase } from "#tests/support/database";
import { format, median, type Outcome, type Tools, timeOf } from "../harness";

/** Rows that are inserted to learn the size of one. */
const fetchesPerVendor = 2;
const dispatchCount = 2_000;
const takeCount = 32;
const repeats = 20;
const statementTimeoutMs = 10 * minuteMs;

async function bytesOf(client: Database, name: string): Promise<number> {
  const [row] = await client.$queryRaw<
    { bytes: bigint }[]
  >`SELECT pg_total_relation_size(${name}::text::regclass) AS bytes`;
  return Number(row?.bytes ?? 0);
}

/** pg-boss keeps jobs in partitions. */
async function jobBytes(client: Database): Promise<number> {
  const [row] = await client.$queryRaw<{ bytes: bigint }[]>`
    SELECT sum(pg_total_relation_size(relid)) AS bytes FROM pg_stat_user_tables WHERE schemaname = 'pgboss'`;
  return Number(row?.bytes ?? 0);
}

async function medianMs(count: number, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  while (times.length < count) times.push(await timeOf(run));
  return median(times);
}

/** Fills a database with vendors that were each fetched twice, and measures sizes and the statements of the queue. */
export async function simulate(vendorCount: number, cleanUp: Tools["cleanUp"]): Promise<Outcome> {
  const { url, drop } = await createTestDatabase();
  cleanUp(drop);
  const client = createDatabase(url, statementTimeoutMs);
  cleanUp(() => client.$disconnect());
  // One vendor in a hundred is due; the others are spread over six hours.
  await client.$executeRaw`
    INSERT INTO vendors (id, slug, name, domain, category, origin, llms_txt_url, next_fetch_at, etag)
    SELECT gen_random_uuid(), 'vendor-' || n, 'Vendor ' || n, 'vendor-' || n || '.example', 'cloud', 'operator',
      'https://docs.vendor-' || n || '.example/llms.txt',
      now() + CASE WHEN n % 100 = 0 THEN '-1 minute'::interval ELSE random() * interval '6 hours' END, md5(n::text)
    FROM generate_series(1, ${vendorCount}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO fetches (id, vendor_id, run_id, created_at, outcome, http_status, request_count, response_time_ms)
    SELECT gen_random_uuid(), id, gen_random_uuid(), now() - random() * interval '90 days', 'not_modified', 304, 1, 300
    FROM vendors, generate_series(1, ${fetchesPerVendor}::int)`;
  for (const table of ["vendors", "fetches"]) await client.$executeRawUnsafe(`VACUUM ANALYZE ${table}`);
  const queues = await openQueues({ database: client, log: pino({ level: "silent" }) });
  cleanUp(() => queues.close());
  const dispatchDue = () =>
    dispatch(queues, client, "fetch", async () => {
      const ids = await findDueIds(client, new Date(), dispatchCount);
      return ids.map((vendorId) => ({ key: vendorId, data: { vendorId } }));
    });
  const before = await jobBytes(client);
  const statementsMs = {
    "give 2,000 due vendors a job, or find that they have one": await medianMs(5, dispatchDue),
    "take 32 jobs and complete them": await medianMs(repeats, async () => {
      const jobs = await queues.boss.fetch("fetch", { batchSize: takeCount });
      if (jobs.length > 0) await queues.boss.complete("fetch", jobs);
    }),
  };
  const bytes = {
    "a vendor": (await bytesOf(client, "vendors")) / vendorCount,
    "a fetch": (await bytesOf(client, "fetches")) / (vendorCount * fetchesPerVendor),
    "a job": ((await jobBytes(client)) - before) / Math.min(dispatchCount, Math.floor(vendorCount / 100)),
  };
  const rowsOf = (measured: Record<string, number>) =>
    Object.entries(measured).map(([name, value]) => [name, format(value)]);
  return {
    tables: [
      { head: [`With ${format(vendorCount)} vendors`, "ms"], rows: rowsOf(statementsMs) },
      { head: ["Size of", "bytes"], rows: rowsOf(bytes) },
    ],
    results: { vendorCount, statementsMs, bytes },
  };
}
