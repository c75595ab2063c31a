import { randomUUID } from "node:crypto";
import { Client } from "pg";
import type { Caller } from "#lib/accounts/keys/index";
import { plans } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { feedQuerySchema, listFeed } from "#lib/tracking/feed/index";
import { getVendor } from "#lib/tracking/vendors/index";
import { createTestDatabase } from "#tests/support/database";
import { count, defineBench, format, limit, ratio, spreadOf, takeTurns } from "../harness";
import { type SeedSize, seedHistory } from "./seed";

const pageSize = 50;
const warmUpRounds = 50;

/** An operation to be timed. Returns its number of rows, to check that compared operations do the same. */
type Subject = {
  what: "feed page" | "vendor detail";
  who: "tapedeck" | "bare pg";
  snapshotCount: number;
  run(turn: number): Promise<number>;
};

const caller: Caller = {
  tier: "starter",
  plan: plans.starter,
  keyId: randomUUID(),
  limitId: randomUUID(),
  accountId: randomUUID(),
};

const pageSql = `
  SELECT v.name, v.slug, v.domain, v.category, s.id, s.content_hash, s.byte_size, s.line_count, s.link_count, s.fetched_at,
    d.lines_added, d.lines_removed, d.created_at, d.compressed_text
  FROM (SELECT * FROM vendors WHERE account_id IS NULL AND latest_snapshot_id < $1 ORDER BY latest_snapshot_id DESC LIMIT $2) v
  CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE id = v.latest_snapshot_id LIMIT 1) s
  LEFT JOIN LATERAL (SELECT * FROM diffs WHERE id = v.latest_diff_id AND created_at >= $3 LIMIT 1) d ON true
  ORDER BY v.latest_snapshot_id DESC`;
const vendorSql = "SELECT * FROM vendors WHERE slug = $1 AND account_id IS NULL";
const snapshotsSql = `
  SELECT id, content_hash, byte_size, line_count, link_count, fetched_at, http_status, response_time_ms, security_score
  FROM snapshots WHERE vendor_id = $1 ORDER BY id DESC LIMIT 10`;
const diffsSql = `
  SELECT id, previous_snapshot_id, current_snapshot_id, lines_added, lines_removed, links_added, links_removed, created_at
  FROM diffs WHERE vendor_id = $1 ORDER BY id DESC LIMIT 10`;

/** Creates a database of this size, with the service's verbs and the same reads in plain SQL on one connection. */
async function openSubjects(size: SeedSize, cleanUp: (end: () => unknown) => void): Promise<Subject[]> {
  const database = await createTestDatabase();
  cleanUp(database.drop);
  await seedHistory(database.url, size);
  const bare = new Client({ connectionString: database.url });
  await bare.connect();
  cleanUp(() => bare.end());
  const { rows } = await bare.query<{ slug: string; cursor: string }>(
    "SELECT slug, latest_snapshot_id AS cursor FROM vendors WHERE latest_snapshot_id IS NOT NULL ORDER BY latest_snapshot_id DESC",
  );
  // A different position in each round, with at least one full page after it.
  const at = (turn: number) => rows[(turn * 7) % (rows.length - pageSize)]!;
  const context = { database: database.client, caller, clock: systemClock };
  const oldest = () => new Date(Date.now() - 90 * 24 * 60 * 60 * 1000);
  const listPage = async (turn: number) => {
    const query = feedQuerySchema.parse({ cursor: at(turn).cursor, limit: String(pageSize) });
    const { feed } = await listFeed(context, { query });
    return feed.filter(({ diff_content }) => diff_content).length;
  };
  const selectPage = async (turn: number) =>
    (await bare.query(pageSql, [at(turn).cursor, pageSize, oldest()])).rows.length;
  const showVendor = async (turn: number) => {
    const { snapshots, diffs } = await getVendor(context, { params: { slug: at(turn).slug } });
    return 1 + snapshots.length + diffs.length;
  };
  const selectVendor = async (turn: number) => {
    const [vendor] = (await bare.query<{ id: string }>(vendorSql, [at(turn).slug])).rows;
    const lists = await Promise.all([snapshotsSql, diffsSql].map((sql) => bare.query(sql, [vendor!.id])));
    return 1 + lists.reduce((sum, { rows: found }) => sum + found.length, 0);
  };
  const { snapshotCount } = size;
  return [
    { what: "feed page", who: "tapedeck", snapshotCount, run: listPage },
    { what: "feed page", who: "bare pg", snapshotCount, run: selectPage },
    { what: "vendor detail", who: "tapedeck", snapshotCount, run: showVendor },
    { what: "vendor detail", who: "bare pg", snapshotCount, run: selectVendor },
  ];
}

export const bench = defineBench({
  about: `A page of the feed (${pageSize} entries, starter tier, at random positions) and a vendor's details, on databases with a short and a
long history, compared with the same reads in plain SQL over one connection.`,
  options: {
    snapshots: {
      default: [10_000, 1_000_000],
      quick: [2_000, 10_000],
      min: 1_000,
      max: 10_000_000,
      about: "snapshots of the databases, at least ten for each vendor",
    },
    vendors: { default: 1_000, quick: 100, min: 100, max: 10_000, about: "vendors" },
    rounds: { default: 500, quick: 100, min: 100, max: 10_000, about: "measured rounds" },
  },
  async run({ snapshots, vendors, rounds }, { say, cleanUp }) {
    const subjects: Subject[] = [];
    for (const snapshotCount of snapshots) {
      subjects.push(...(await openSubjects({ vendorCount: vendors, snapshotCount }, cleanUp)));
      say(`${count(snapshotCount)} snapshots created`);
    }
    const runs = await takeTurns(subjects, warmUpRounds + rounds, async (subject, turn) => {
      const startMs = performance.now();
      const rowCount = await subject.run(turn);
      return { ms: performance.now() - startMs, rowCount };
    });
    const results = subjects.map(({ what, who, snapshotCount }, index) => {
      const isCompared = (other: Subject) => other.what === what && other.snapshotCount === snapshotCount;
      const compared = runs
        .filter((_, other) => isCompared(subjects[other]!))
        .flatMap((each) => each.slice(warmUpRounds));
      const rowCounts = new Set(compared.map(({ rowCount }) => rowCount));
      if (rowCounts.size !== 1) throw new Error(`${what}: the compared reads brought ${[...rowCounts]} rows`);
      return { what, who, snapshotCount, ...spreadOf(runs[index]!.slice(warmUpRounds).map(({ ms }) => ms)) };
    });
    const rows = results.map(({ what, who, snapshotCount, p50Ms, p99Ms }) => {
      const same = results.filter((other) => other.what === what);
      const bare = same.find((other) => other.who === "bare pg" && other.snapshotCount === snapshotCount)!;
      const short = same.find((other) => other.who === who)!;
      return [
        ...[what, count(snapshotCount), who, format(p50Ms), format(p99Ms)],
        ...(who === "tapedeck" ? [ratio(p50Ms, bare.p50Ms), ratio(p99Ms, bare.p99Ms)] : ["–", "–"]),
        short.snapshotCount === snapshotCount ? "–" : ratio(p99Ms, short.p99Ms),
      ];
    });
    const own = results.filter(({ who, what }) => who === "tapedeck" && what === "vendor detail");
    const details = Object.fromEntries(own.map((each) => [`${count(each.snapshotCount)} snapshots`, each.p50Ms]));
    const head = ["Read", "Snapshots", "By", "p50 ms", "p99 ms", "p50 ÷ bare", "p99 ÷ bare", "p99 ÷ short history"];
    return {
      tables: [{ head, rows }],
      goals: limit("vendor detail ≤ 5 ms at p50", details, { atMost: 5, unit: " ms" }),
      results: { pageSize, results },
    };
  },
});
