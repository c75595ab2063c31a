import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { sites } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import {
  changesQuerySchema,
  feedQuerySchema,
  getAtomFeed,
  getVendorAtomFeed,
  listChanges,
  listFeed,
} from "#lib/tracking/feed/index";
import { callerOf } from "#tests/support/callers";
import { openExplainer, type PlanNode } from "#tests/support/query-plans";
import { sharedDatabase } from "#tests/support/shared-database";
import { seedHistory } from "../../../bench/feed/seed";

const vendorCount = 500;
const size = { vendorCount, snapshotCount: 20_000 };
const database = sharedDatabase();
let explainer: Awaited<ReturnType<typeof openExplainer>>;
beforeAll(async () => {
  await seedHistory(database.url, size);
  explainer = await openExplainer(database.url);
});
afterAll(async () => {
  await explainer.close();
});

const plansOf = (ask: (client: Database) => Promise<unknown>) => explainer.plansOf(() => ask(explainer.client));

const read = (client: Database, who: Caller, query: Record<string, string> = {}) =>
  listFeed({ database: client, caller: who, clock: systemClock }, { query: feedQuerySchema.parse(query) });
const site = { clock: systemClock, site: sites[0], origin: "http://127.0.0.1", buildDate: "2026-11-01" };

const rowsOf = (node: PlanNode) => node["Actual Rows"] * node["Actual Loops"];
const scansOf = (nodes: PlanNode[], tables: readonly string[]) =>
  nodes.filter((node) => tables.includes(node["Relation Name"] ?? ""));
const sortedRows = (nodes: PlanNode[]) =>
  nodes.filter((node) => /Sort/.test(node["Node Type"])).flatMap(({ Plans = [] }) => Plans.map(rowsOf));

describe("with 20,000 snapshots of 500 vendors", () => {
  test.each([
    ["the first page of the free tier", anonymousCaller, {}],
    ["the first page of the starter tier", callerOf("starter"), {}],
    ["the first page of the pro tier", callerOf("pro"), {}],
    ["a page of one vendor", callerOf("starter"), { vendor: "vendor-00007" }],
    ["a poll", callerOf("starter"), { since: "2026-11-20T23:55:00Z" }],
  ])("%s reads snapshots and diffs by id, no more than it returns", async (_name, who, query) => {
    for (const nodes of await plansOf((client) => read(client, who, query))) {
      const scans = scansOf(nodes, ["snapshots", "diffs"]);
      expect(scans.filter((node) => node["Node Type"] !== "Index Scan")).toEqual([]);
      for (const node of scans) expect(rowsOf(node)).toBeLessThanOrEqual(51);
      for (const rows of sortedRows(nodes)) expect(rows).toBeLessThanOrEqual(51);
    }
  });

  test("a page in the middle reads only its own vendors", async () => {
    const { _meta } = await read(database.client, callerOf("starter"), { limit: "100" });
    const [first] = await plansOf((client) =>
      read(client, callerOf("starter"), { cursor: _meta.next_cursor as string }).then((feed) => {
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
    for (const nodes of await plansOf((client) =>
      read(client, callerOf("starter"), { cursor: never.id, limit: "2" }),
    )) {
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

  test.each([{}, { vendor: "vendor-00007" }, { min_significance: "4" }, { category: "content-expansion" }])(
    "the changes with %j and a key whose account can have own vendors are found in the same way",
    async (given) => {
      const filters = changesQuerySchema.parse(given);
      const context = { clock: systemClock, caller: callerOf("pro") };
      await expectFewRows(async (client) => {
        expect((await listChanges({ ...context, database: client }, { filters })).changes).not.toEqual([]);
      }, 500);
    },
  );
});

/** Expects that no table is read as a whole, and no more than a number of rows by each scan of diffs and reports. */
async function expectFewRows(ask: (client: Database) => Promise<unknown>, maxRows: number): Promise<void> {
  for (const nodes of await plansOf(ask)) {
    expect(nodes.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
    for (const node of scansOf(nodes, ["diffs", "reports"])) expect(rowsOf(node)).toBeLessThanOrEqual(maxRows);
  }
}
