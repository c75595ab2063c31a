import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { getDiff, listDiffs } from "#lib/tracking/diffs/index";
import { getContent, getSandboxedContent } from "#lib/tracking/snapshots/index";
import {
  directoryPageSize,
  getVendor,
  listDirectory,
  listVendors,
  readDirectoryQuery,
  searchVendors,
} from "#lib/tracking/vendors/index";
import { findPageFacts } from "#lib/tracking/vendors/store";
import { callerOf } from "#tests/support/callers";
import { openExplainer } from "#tests/support/query-plans";
import { sharedDatabase } from "#tests/support/shared-database";
import { seedHistory } from "../../../bench/feed/seed";

const vendorCount = 400;
const diffsPerVendor = 99;

const database = sharedDatabase();
let explainer: Awaited<ReturnType<typeof openExplainer>>;
let client: Database;

beforeAll(async () => {
  await seedHistory(database.url, { vendorCount, snapshotCount: vendorCount * (diffsPerVendor + 1) });
  explainer = await openExplainer(database.url);
  client = explainer.client;
});
afterAll(async () => {
  await explainer.close();
});

const plansOf = async (ask: () => Promise<unknown>) => (await explainer.plansOf(ask)).flat();

const params = { slug: "vendor-00007" };
const search = { status: "active", limit: 50, offset: 0 } as const;
const diffsOf = (query: { cursor?: string; limit: number }) => () =>
  listDiffs({ database: client, caller: callerOf("enterprise_plus"), clock: systemClock }, { params, query });
const lastDiffId = async (skip: number) =>
  (
    await database.client.diff.findFirstOrThrow({
      where: { vendor: { slug: params.slug } },
      orderBy: { id: "desc" },
      skip,
    })
  ).id;

const large = ["snapshots", "diffs", "contents"];

async function check(ask: () => Promise<unknown>, mostRows: number): Promise<void> {
  const nodes = await plansOf(ask);
  const scans = nodes.filter((node) => large.includes(node["Relation Name"] ?? ""));
  for (const node of scans) {
    const { "Node Type": type, "Relation Name": table, "Rows Removed by Filter": removed = 0 } = node;
    const rows = node["Actual Rows"] + removed;
    expect([table, type, type !== "Seq Scan", rows <= mostRows]).toEqual([table, type, true, true]);
  }
  for (const sort of nodes.filter((node) => node["Node Type"] === "Sort")) {
    // One vendor per hundred was never fetched.
    expect(sort.Plans?.[0]?.["Actual Rows"]).toBeLessThanOrEqual(1.01 * vendorCount);
  }
}

const caller = callerOf("pro");

describe("with 40,000 snapshots and diffs, by index,", () => {
  test("the list of vendors reads only the latest snapshots", () =>
    check(() => listVendors({ caller, database: client }), vendorCount));

  test.each([{}, { sort: "name" }])("a page of the directory %o reads its vendors in order", async (given) => {
    const nodes = await plansOf(() => listDirectory({ database: client }, { query: readDirectoryQuery(given) }));
    const read = nodes.filter((node) => /^Index Scan/.test(node["Node Type"]) && node["Relation Name"] === "vendors");
    expect(read.map((node) => node["Actual Rows"])).toEqual([directoryPageSize]);
  });

  test("a search reads no snapshots", async () => {
    const nodes = await plansOf(() =>
      searchVendors({ caller, database: client }, { query: { ...search, q: "vendor-0003" } }),
    );
    expect(nodes.filter((node) => large.includes(node["Relation Name"] ?? ""))).toEqual([]);
  });

  test("a vendor's detail reads the latest ten of each", () =>
    check(() => getVendor({ caller, database: client }, { params }), 10));

  test("a vendor's page reads no other vendor's rows", () =>
    check(() => findPageFacts(client, params.slug, null), diffsPerVendor + 1));

  test("content reads only the latest snapshot", async () => {
    await check(() => getContent({ database: client, caller: callerOf("starter") }, { params }), 1);
    await check(() => getSandboxedContent({ caller, database: client }, { params }), 1);
  });

  test("a diff reads one diff and two snapshots", async () => {
    const id = await lastDiffId(3);
    await check(() => getDiff({ caller, database: client }, { params: { id } }), 2);
  });

  test("a page of diffs reads at most one more than the page, at the start and far from it", async () => {
    await check(diffsOf({ limit: 20 }), 21);
    const cursor = await lastDiffId(60);
    await check(diffsOf({ limit: 20, cursor }), 21);
  });

  test("a page limited by the tier's history reads no other vendor's diffs", () => {
    const context = { database: client, caller: anonymousCaller, clock: systemClock };
    return check(() => listDiffs(context, { params: { slug: "vendor-00001" }, query: { limit: 100 } }), 101);
  });
});
