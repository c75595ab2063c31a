import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { plans } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { changesQuerySchema, feedQuerySchema, listChanges, listFeed } from "#lib/tracking/feed/index";
import { listReports, listReportsEndpoint } from "#lib/tracking/intelligence/index";
import {
  getStats,
  getVendor,
  getVendorFacts,
  getVendorPage,
  listDirectory,
  listVendors,
  readDirectoryQuery,
  searchVendors,
  searchVendorsEndpoint,
} from "#lib/tracking/vendors/index";
import { createTestDatabase } from "#tests/support/database";
import { seedHistory } from "./feed/seed";
import { count, defineBench, format, limit, median, spreadOf, takeTurns, timeOf } from "./harness";

/** Rounds in which the plans of each read are asked for. */
const explainedRounds = 15;

const pro: Caller = {
  tier: "pro",
  plan: plans.pro,
  keyId: randomUUID(),
  limitId: randomUUID(),
  accountId: randomUUID(),
};

type Statement = { text: string; values?: unknown[] };
type Query = (statement: Statement | string, ...rest: unknown[]) => unknown;

/** Returns a function that returns the statements that a read sends on connections which are opened from now on. */
function recordStatements(): (read: () => unknown) => Promise<Statement[]> {
  const prototype = Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  let sent: Statement[] = [];
  prototype.query = function (this: unknown, statement, ...rest) {
    if (typeof statement === "object" && /^\s*(?:SELECT|WITH)\b/i.test(statement.text)) sent.push(statement);
    return query.call(this, statement, ...rest);
  };
  return async (read) => {
    sent = [];
    await read();
    return sent;
  };
}

/** Returns the time in which the database plans and executes statements, in milliseconds. */
async function executionMs(client: Client, statements: readonly Statement[]): Promise<number> {
  let sumMs = 0;
  for (const { text, values = [] } of statements) {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
    const [plan] = rows[0]["QUERY PLAN"];
    sumMs += plan["Planning Time"] + plan["Execution Time"];
  }
  return sumMs;
}

export const bench = defineBench({
  about: `What pages and endpoints of vendors read, one after the other, on a database with a long history. The database's time is what its plans
say of each statement.`,
  options: {
    snapshots: { default: 1_000_000, quick: 20_000, min: 10_000, max: 10_000_000, about: "snapshots" },
    vendors: { default: 5_000, quick: 200, min: 100, max: 10_000, about: "vendors" },
    rounds: { default: 200, quick: 40, min: 20, max: 10_000, about: "measured rounds" },
  },
  async run({ snapshots, vendors, rounds }, { say, cleanUp }) {
    const statementsOf = recordStatements();
    const database = await createTestDatabase();
    cleanUp(database.drop);
    await seedHistory(database.url, { vendorCount: vendors, snapshotCount: snapshots });
    say(`${count(snapshots)} snapshots created`);
    const origin = "http://127.0.0.1:3000";
    const context = { database: database.client, clock: systemClock, buildDate: "2026-11-01", origin };
    const everyone = { ...context, caller: anonymousCaller };
    const withKey = { ...context, caller: pro };
    const slugOf = (round: number) => `vendor-${String((round * 37) % vendors).padStart(5, "0")}`;
    const directory = (query: object) => listDirectory(context, { query: { ...readDirectoryQuery({}), ...query } });
    const changes = (query: object) => listChanges(context, { filters: changesQuerySchema.parse(query) });
    const reads: { name: string; atMostMs: number; read: (round: number) => unknown }[] = [
      { name: "vendor page", atMostMs: 5, read: (round) => getVendorPage(everyone, slugOf(round)) },
      { name: "vendor detail", atMostMs: 5, read: (round) => getVendor(everyone, { params: { slug: slugOf(round) } }) },
      { name: "statistics", atMostMs: 20, read: () => getStats(everyone) },
      { name: "facts of pages", atMostMs: 20, read: () => getVendorFacts(context) },
      { name: "directory", atMostMs: 10, read: () => directory({}) },
      { name: "directory search", atMostMs: 10, read: (round) => directory({ q: String(round) }) },
      { name: "all vendors", atMostMs: 50, read: () => listVendors(everyone) },
      {
        name: "vendor search",
        atMostMs: 10,
        read: (round) => searchVendors(everyone, { query: searchVendorsEndpoint.query!.parse({ q: String(round) }) }),
      },
      { name: "changes", atMostMs: 20, read: () => changes({}) },
      { name: "changes of significance 5", atMostMs: 20, read: () => changes({ min_significance: "5" }) },
      { name: "changes of a vendor", atMostMs: 20, read: (round) => changes({ vendor: slugOf(round) }) },
      { name: "feed", atMostMs: 50, read: () => listFeed(withKey, { query: feedQuerySchema.parse({}) }) },
      {
        name: "reports",
        atMostMs: 50,
        read: () => listReports(withKey, { query: listReportsEndpoint.query!.parse({ min_significance: "4" }) }),
      },
    ];
    const runs = await takeTurns(reads, rounds, ({ read }, round) => timeOf(() => read(round)));
    const client = new Client({ connectionString: database.url });
    await client.connect();
    cleanUp(() => client.end());
    const results = [];
    for (const [index, { name, atMostMs, read }] of reads.entries()) {
      const executions = [];
      for (let round = 0; round < explainedRounds; round += 1)
        executions.push(await executionMs(client, await statementsOf(() => read(round))));
      results.push({ name, atMostMs, databaseMs: median(executions), ...spreadOf(runs[index]!) });
    }
    return {
      tables: [
        {
          head: ["Read", "Database ms", "Whole read, p50 ms", "p99 ms"],
          rows: results.map(({ name, databaseMs, p50Ms, p99Ms }) => [name, ...[databaseMs, p50Ms, p99Ms].map(format)]),
        },
      ],
      goals: results.flatMap(({ name, atMostMs, databaseMs }) =>
        limit(`${name} ≤ ${atMostMs} ms of database time`, { "": databaseMs }, { atMost: atMostMs, unit: " ms" }),
      ),
      results: { snapshots, vendors, results },
    };
  },
});
