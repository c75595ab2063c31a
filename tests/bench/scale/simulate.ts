import { pino } from "pino";
import { dispatch, openQueues } from "#lib/jobs/queue/index";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { minuteMs } from "#lib/platform/time";
import { countDue, findDueIds, pruneFetches } from "#lib/tracking/index";
import { createTestDatabase } from "#tests/support/database";
import { formatNumber, table } from "../replay/report-format";

/** Rows that are inserted to learn the size of one. */
const fetchesPerVendor = 2;
const dispatchCount = 2_000;
const takeCount = 32;
const repeats = 20;
const statementTimeoutMs = 10 * minuteMs;

export type Simulation = {
  vendors: number;
  bytesPerVendor: number;
  bytesPerFetch: number;
  bytesPerJob: number;
  /** Median durations of statements at this size, in milliseconds. */
  statementsMs: Record<string, number>;
};

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
  for (let index = 0; index < count; index += 1) {
    const startedMs = performance.now();
    await run();
    times.push(performance.now() - startedMs);
  }
  return times.sort((one, other) => one - other)[Math.floor(count / 2)] ?? Number.NaN;
}

/** Fills a database with vendors that were each fetched twice, and measures sizes and the statements of the queue. */
export async function simulate(vendorCount: number): Promise<Simulation> {
  const { url, drop } = await createTestDatabase();
  const client = createDatabase(url, statementTimeoutMs);
  try {
    const batch = 20_000;
    for (let start = 0; start < vendorCount; start += batch) {
      // One vendor in a hundred is due; the others are spread over six hours.
      await client.$executeRaw`
        INSERT INTO vendors (id, slug, name, domain, category, origin, llms_txt_url, next_fetch_at, etag)
        SELECT gen_random_uuid(), 'vendor-' || n, 'Vendor ' || n, 'vendor-' || n || '.example', 'cloud', 'operator',
          'https://docs.vendor-' || n || '.example/llms.txt',
          now() + CASE WHEN n % 100 = 0 THEN '-1 minute'::interval ELSE random() * interval '6 hours' END,
          md5(n::text)
        FROM generate_series(${start}::int + 1, LEAST(${start + batch}::int, ${vendorCount}::int)) AS n`;
      for (let round = 0; round < fetchesPerVendor; round += 1)
        await client.$executeRaw`
          INSERT INTO fetches (id, vendor_id, run_id, created_at, outcome, http_status, request_count, response_time_ms)
          SELECT gen_random_uuid(), id, gen_random_uuid(), now() - random() * interval '90 days', 'not_modified', 304, 1, 300
          FROM vendors WHERE slug = ANY(ARRAY(
            SELECT 'vendor-' || n FROM generate_series(${start}::int + 1, LEAST(${start + batch}::int, ${vendorCount}::int)) AS n))`;
    }
    await client.$executeRawUnsafe("VACUUM ANALYZE vendors");
    await client.$executeRawUnsafe("VACUUM ANALYZE fetches");
    const log = pino({ level: "silent" });
    const queues = await openQueues({ database: client, log });
    const dispatchDue = () =>
      dispatch(queues, client, "fetch", async () =>
        (await findDueIds(client, new Date(), dispatchCount)).map((vendorId) => ({
          key: vendorId,
          data: { vendorId },
        })),
      );
    const before = await jobBytes(client);
    const statementsMs = {
      "find 2,000 due vendors": await medianMs(repeats, () => findDueIds(client, new Date(), dispatchCount)),
      "give 2,000 of them a job, or find that they have one": await medianMs(5, dispatchDue),
      "take 32 jobs and complete them": await medianMs(repeats, async () => {
        const jobs = await queues.boss.fetch("fetch", { batchSize: takeCount });
        if (jobs.length > 0) await queues.boss.complete("fetch", jobs);
      }),
      "count the due vendors": await medianMs(repeats, () => countDue(client, new Date())),
      "delete 1,000 fetches past their retention": await medianMs(repeats, () =>
        pruneFetches(client, { before: new Date(Date.now() - 80 * 86_400_000), limit: 1_000 }),
      ),
    };
    const bytes = (await jobBytes(client)) - before;
    const sizes = { vendors: await bytesOf(client, "vendors"), fetches: await bytesOf(client, "fetches") };
    await queues.close();
    return {
      vendors: vendorCount,
      bytesPerVendor: sizes.vendors / vendorCount,
      bytesPerJob: bytes / dispatchCount,
      bytesPerFetch: sizes.fetches / (vendorCount * fetchesPerVendor),
      statementsMs,
    };
  } finally {
    await client.$disconnect();
    await drop();
  }
}

export function simulationText({ vendors, statementsMs, ...sizes }: Simulation): string {
  const rows = Object.entries(statementsMs).map(([name, ms]) => [name, formatNumber(ms)]);
  const bytes = Object.entries(sizes).map(([name, count]) => [name, formatNumber(count)]);
  const title = `With ${formatNumber(vendors)} vendors`;
  return `${table([title, "ms"], rows)}\n\n${table(["Size", "bytes"], bytes)}`;
}
