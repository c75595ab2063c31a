import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { plans } from "#lib/accounts/plans/index";
import { sites } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import {
  changesQuerySchema,
  feedQuerySchema,
  getAtomFeed,
  getVendorAtomFeed,
  listFeed,
} from "#lib/tracking/feed/index";
import { Prisma } from "#prisma/generated/client";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { seedHistory } from "../../../bench/feed/seed";

type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: PlanNode[];
};

const vendorCount = 500;
const size = { vendorCount, snapshotCount: 20_000 };
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await seedHistory(database.url, size);
});
afterAll(() => database.drop());

const caller = (tier: "starter" | "pro"): Caller => ({
  tier,
  plan: plans[tier],
  keyId: randomUUID(),
  limitId: randomUUID(),
  accountId: randomUUID(),
});

/** A client that records its queries. */
function recording(client: Database): { client: Database; queries: Prisma.Sql[] } {
  const queries: Prisma.Sql[] = [];
  const recorder = new Proxy(client, {
    get(target, name) {
      if (name !== "$queryRaw") return Reflect.get(target, name);
      return (query: Prisma.Sql) => {
        queries.push(query);
        return target.$queryRaw(query);
      };
    },
  });
  return { client: recorder, queries };
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Returns every node of the plans of all queries that a function runs. */
async function plansOf(ask: (client: Database) => Promise<unknown>): Promise<PlanNode[][]> {
  const { client, queries } = recording(database.client);
  await ask(client);
  expect(queries.length).toBeGreaterThan(0);
  const explained: PlanNode[][] = [];
  for (const query of queries) {
    const [row] = await database.client.$queryRaw<[{ "QUERY PLAN": [{ Plan: PlanNode }] }]>(
      Prisma.sql`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`,
    );
    explained.push(nodesOf(row["QUERY PLAN"][0].Plan));
  }
  return explained;
}

const read = (client: Database, who: Caller, query: Record<string, string> = {}) =>
  listFeed(
    { database: client, caller: who, clock: systemClock, buildDate: "2026-11-01" },
    { query: feedQuerySchema.parse(query) },
  );
const site = { site: sites[0], origin: "http://127.0.0.1", buildDate: "2026-11-01" };

const rowsOf = (node: PlanNode) => node["Actual Rows"] * node["Actual Loops"];
const scansOf = (nodes: PlanNode[], tables: readonly string[]) =>
  nodes.filter((node) => tables.includes(node["Relation Name"] ?? ""));
const sortedRows = (nodes: PlanNode[]) =>
  nodes.filter((node) => /Sort/.test(node["Node Type"])).flatMap(({ Plans = [] }) => Plans.map(rowsOf));

describe("with 20,000 snapshots of 500 vendors", () => {
  test.each([
    ["the first page of the free tier", anonymousCaller, {}],
    ["the first page of the starter tier", caller("starter"), {}],
    ["the first page of the pro tier", caller("pro"), {}],
    ["a page of one vendor", caller("starter"), { vendor: "vendor-00007" }],
    ["a poll", caller("starter"), { since: "2026-11-20T23:55:00Z" }],
  ])("%s reads snapshots and diffs by id, no more than it returns", async (_name, who, query) => {
    for (const nodes of await plansOf((client) => read(client, who, query))) {
      const scans = scansOf(nodes, ["snapshots", "diffs"]);
      expect(scans.filter((node) => node["Node Type"] !== "Index Scan")).toEqual([]);
      for (const node of scans) expect(rowsOf(node)).toBeLessThanOrEqual(51);
      for (const rows of sortedRows(nodes)) expect(rows).toBeLessThanOrEqual(51);
    }
  });

  test("a page in the middle reads only its own vendors", async () => {
    const { _meta } = await read(database.client, caller("starter"), { limit: "100" });
    const [first] = await plansOf((client) =>
      read(client, caller("starter"), { cursor: _meta.next_cursor as string }).then((feed) => {
        expect(feed.feed).toHaveLength(50);
      }),
    ).then((all) => all.filter((nodes) => scansOf(nodes, ["snapshots"]).length > 0));
    const vendors = scansOf(first as PlanNode[], ["vendors"]);
    expect(vendors.map((node) => [node["Index Name"], rowsOf(node)])).toEqual([
      ["vendors_pkey", 0],
      ["vendors_latest_snapshot_id_key", 51],
    ]);
    expect(sortedRows(first as PlanNode[])).toEqual([]);
  });

  test("vendors without a snapshot are read without the others", async () => {
    const never = await database.client.vendor.findFirstOrThrow({ where: { latestSnapshotId: null } });
    for (const nodes of await plansOf((client) => read(client, caller("starter"), { cursor: never.id, limit: "2" }))) {
      if (nodes.some((node) => node["Node Type"] === "Aggregate")) continue;
      for (const node of scansOf(nodes, ["vendors"])) expect(rowsOf(node)).toBeLessThanOrEqual(vendorCount / 100);
    }
  });

  test("the changes of one vendor are found by index, reading only its newest rows", async () => {
    const ask = (client: Database) =>
      getVendorAtomFeed({ ...site, database: client }, { params: { slug: "vendor-00002" } });
    await expectFewRows(ask, 10);
  });

  test.each([
    {},
    { from: "2026-11-20" },
    { to: "2026-11-20" },
    { from: "2026-11-20", to: "2026-11-20" },
    { vendor: "vendor-00007" },
    { min_significance: "4" },
    { min_significance: "5", to: "2026-11-20" },
    { category: "content-expansion" },
    { category: "security-advisory" },
    { category: "security-advisory", min_significance: "2", from: "2026-11-20" },
    { vendor: "vendor-00002", category: "content-expansion" },
  ])("the changes with %j are found by index, reading few other rows", async (given) => {
    const query = changesQuerySchema.parse(given);
    await expectFewRows(async (client) => {
      const { text } = await getAtomFeed({ ...site, database: client }, { query });
      expect(text).toContain("<entry>");
    }, 500);
  });
});

/** Expects that no table is read as a whole, and no more than a number of rows by each scan of diffs and reports. */
async function expectFewRows(ask: (client: Database) => Promise<unknown>, maxRows: number): Promise<void> {
  for (const nodes of await plansOf(ask)) {
    expect(nodes.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
    for (const node of scansOf(nodes, ["diffs", "reports"])) expect(rowsOf(node)).toBeLessThanOrEqual(maxRows);
  }
}
