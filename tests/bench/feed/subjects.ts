import { randomUUID } from "node:crypto";
import { Client } from "pg";
import type { Caller } from "#lib/accounts/keys/index";
import { plans } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { feedQuerySchema, listFeed } from "#lib/tracking/feed/index";
import { getVendor } from "#lib/tracking/vendors/index";
import { createTestDatabase } from "#tests/support/database";
import { type SeedSize, seedHistory } from "./seed";

export const pageSize = 50;

/** An operation to be timed. Returns its number of rows, to check that compared operations do the same. */
export type Subject = {
  what: "feed page" | "vendor detail";
  who: "tapedeck" | "bare pg";
  run(turn: number): Promise<number>;
};

export type Subjects = { subjects: Subject[]; seedMs: number; drop(): Promise<void> };

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
export async function openSubjects(size: SeedSize): Promise<Subjects> {
  const database = await createTestDatabase();
  const startMs = performance.now();
  await seedHistory(database.url, size);
  const seedMs = performance.now() - startMs;
  const bare = new Client({ connectionString: database.url });
  await bare.connect();
  const { rows } = await bare.query<{ slug: string; cursor: string }>(
    "SELECT slug, latest_snapshot_id AS cursor FROM vendors WHERE latest_snapshot_id IS NOT NULL ORDER BY latest_snapshot_id DESC",
  );
  // A different position in each round, with at least one full page after it.
  const at = (turn: number) => rows[(turn * 7) % (rows.length - pageSize)]!;
  const context = { database: database.client, caller, clock: systemClock, buildDate: "2026-11-01" };
  const oldest = () => new Date(Date.now() - 90 * 24 * 60 * 60 * 1000);
  const subjects: Subject[] = [
    {
      what: "feed page",
      who: "tapedeck",
      async run(turn) {
        const query = feedQuerySchema.parse({ cursor: at(turn).cursor, limit: String(pageSize) });
        const { feed } = await listFeed(context, { query });
        return feed.filter(({ diff_content }) => diff_content).length;
      },
    },
    {
      what: "feed page",
      who: "bare pg",
      async run(turn) {
        return (await bare.query(pageSql, [at(turn).cursor, pageSize, oldest()])).rows.length;
      },
    },
    {
      what: "vendor detail",
      who: "tapedeck",
      async run(turn) {
        const { snapshots, diffs } = await getVendor(context, { params: { slug: at(turn).slug } });
        return 1 + snapshots.length + diffs.length;
      },
    },
    {
      what: "vendor detail",
      who: "bare pg",
      async run(turn) {
        const [vendor] = (await bare.query<{ id: string }>(vendorSql, [at(turn).slug])).rows;
        const lists = await Promise.all([snapshotsSql, diffsSql].map((sql) => bare.query(sql, [vendor!.id])));
        return 1 + lists.reduce((sum, { rows: found }) => sum + found.length, 0);
      },
    },
  ];
  const drop = async () => {
    await bare.end();
    await database.drop();
  };
  return { subjects, seedMs, drop };
}
