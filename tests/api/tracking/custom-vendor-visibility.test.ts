import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { isExtended } from "#tests/support/extended";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { mcpHeaders } from "#tests/support/mcp";
import { readStream } from "#tests/support/read-stream";
import { reportRow } from "#tests/support/vendor-rows";

/** In the vendor's name, file, diff and report, but not in its slug, which errors repeat. */
const marker = `m${randomUUID().replaceAll("-", "")}`;
/** The first of all lists. */
const slug = `0-${randomUUID()}`;
let accountId = "";
let diffId = "";
let snapshotId = "";
const keys: Record<string, string | undefined> = { none: undefined, ...(isExtended && { broken: "ltf_broken" }) };

beforeAll(async () => {
  const owner = await issueKey("pro");
  accountId = owner.stored.accountId;
  keys.owner = owner.key;
  keys["owner's second"] = await withAppDatabase(async (database) => {
    return (await createKey({ database, clock: systemClock, ids: systemIds }, { accountId })).key;
  });
  const tiers = [
    ["other pro", "pro"],
    ["free", "free"],
    ...(isExtended ? ([["starter", "starter"]] as const) : []),
  ] as const;
  for (const [name, tier] of tiers) keys[name] = (await issueKey(tier)).key;
  const row = { slug, name: `Vendor ${marker}`, accountId };
  const { id: vendorId, stored } = await addAppVendor(row, [`# ${marker}\n`, `# ${marker}\n\nMore of ${marker}.\n`]);
  const [, latest] = stored;
  diffId = latest?.diffId as string;
  snapshotId = latest?.snapshotId as string;
  await withAppDatabase((database) =>
    database.report.create({
      data: reportRow({ vendorId, diffId, snapshotId, summary: `About ${marker}.`, significance: 4, categories: [] }),
    }),
  );
});
afterAll(removeAppVendors);

/** Many requests are without a key, and must not use up the limit of the other tests' address. */
const localAddress = "127.0.0.9";

type Answer = { status: number; text: string };

async function get(path: string, key?: string): Promise<Answer> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const { status, body } = await readStream(`${inject("baseUrl")}${path}`, { headers, localAddress });
  return { status, text: body.toString() };
}

async function rpc(method: string, params: object, key?: string): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const init = { method: "POST", headers: mcpHeaders(key), body, localAddress };
  const { status, body: answer } = await readStream(`${inject("baseUrl")}/api/mcp`, init);
  return { status, text: answer.toString() };
}
const call = (name: string, input: () => object) => (key?: string) =>
  rpc("tools/call", { name, arguments: input() }, key);

const hasMarker = ({ text }: Answer) => text.includes(marker);

type View = { name: string; ask: (key?: string) => Promise<Answer>; shows?: (answer: Answer) => boolean };

const endpoint = (path: () => string, shows?: View["shows"]): View => {
  const name = `GET ${path().replace(slug, "{slug}")}`;
  return { name, ask: (key) => get(path(), key), ...(shows && { shows }) };
};

/** What shows the vendor to its account. */
const views: View[] = [
  endpoint(() => "/api/v1/vendors"),
  endpoint(() => `/api/v1/vendors/search?q=${slug}`),
  endpoint(() => `/api/v1/vendors/${slug}`),
  endpoint(() => "/api/v1/vendors/custom"),
  endpoint(() => `/api/v1/vendors/${slug}/content`),
  endpoint(() => `/api/v1/content/${slug}`),
  endpoint(() => `/api/v1/vendors/${slug}/diffs`),
  endpoint(
    () => `/api/v1/vendors/${slug}/snapshots`,
    (answer) => answer.status === 200,
  ),
  { name: "GET a snapshot", ask: (key) => get(`/api/v1/vendors/${slug}/snapshots/${snapshotId}`, key) },
  {
    name: "GET the comparison of a snapshot",
    ask: (key) => get(`/api/v1/vendors/${slug}/compare?from=${snapshotId}&to=${snapshotId}`, key),
    shows: (answer) => answer.status === 200,
  },
  { name: "GET /api/v1/diffs/{id}", ask: (key) => get(`/api/v1/diffs/${diffId}`, key), shows: (a) => a.status === 200 },
  endpoint(() => "/api/v1/feed"),
  endpoint(() => `/api/v1/feed?vendor=${slug}`),
  ...["", "&min_significance=4"].map((filter) => endpoint(() => `/api/v1/changes?vendor=${slug}${filter}`)),
  // Other tests may have any number of reports written meanwhile, but few of this significance.
  endpoint(() => "/api/v1/intelligence?min_significance=4&limit=100"),
  endpoint(() => `/api/v1/intelligence?vendor=${slug}`),
  { name: "list_vendors", ask: call("list_vendors", () => ({})) },
  { name: "search_vendors", ask: call("search_vendors", () => ({ q: slug })) },
  { name: "get_vendor_content", ask: call("get_vendor_content", () => ({ vendor: slug })) },
  { name: "get_feed", ask: call("get_feed", () => ({ vendor: slug })) },
  { name: "get_diff_summary of the vendor", ask: call("get_diff_summary", () => ({ vendor: slug })) },
  { name: "get_diff_summary by id", ask: call("get_diff_summary", () => ({ id: diffId })) },
  { name: "list_reports", ask: call("list_reports", () => ({ vendor: slug })) },
  { name: "the resource", ask: (key) => rpc("resources/read", { uri: `tapedeck://vendors/${slug}` }, key) },
  { name: "the list of resources", ask: (key) => rpc("resources/list", {}, key) },
  {
    name: "the completion of a resource",
    ask: (key) => {
      const ref = { type: "ref/resource", uri: "tapedeck://vendors/{slug}" };
      return rpc("completion/complete", { ref, argument: { name: "slug", value: slug.slice(0, 20) } }, key);
    },
    shows: ({ text }) => text.includes(slug),
  },
  {
    name: "the completion of a prompt",
    ask: (key) => {
      const ref = { type: "ref/prompt", name: "summarize_vendor_changes" };
      return rpc("completion/complete", { ref, argument: { name: "vendor", value: slug.slice(0, 20) } }, key);
    },
    shows: ({ text }) => text.includes(slug),
  },
];

/** Pages and documents, which read no key. */
const publicPaths = [
  ...["/", "/status", "/vendors", "/feed.xml", "/feed.json", "/sitemap.xml", "/llms.txt", "/llms-full.txt"],
  ...[`/vendors?q=${slug}`, `/vendors?sort=name`, `/vendors/${slug}`, `/vendors/${slug}/feed.xml`],
  ...["/changes", `/changes?vendor=${slug}`, `/feed.xml?vendor=${slug}`, "/changes?min_significance=4"],
  ...["csv", "jsonl"].map((type) => `/changes.${type}?vendor=${slug}`),
  ...[`/vendors/${slug}/snapshots`, `/vendors/${slug}/compare`],
  `/api/v1/search?q=${marker}x`,
  `/api/v1/search?q=${marker}x&partial=true`,
];

describe("a vendor of an account", () => {
  it.each(views)("is shown by $name to its account's keys alone", async ({ ask, shows = hasMarker }) => {
    const shown: string[] = [];
    for (const [name, key] of Object.entries(keys)) if (shows(await ask(key))) shown.push(name);
    expect(shown.sort()).toEqual(["owner", "owner's second"]);
  });

  it.each(publicPaths)("is shown to nobody by %s", async (path) => {
    const { status, text } = await get(path, keys.owner);
    expect(text.replaceAll(`${marker}x`, "")).not.toContain(marker);
    if (path.startsWith(`/vendors/${slug}`)) expect(status).toBe(404);
  });

  it("has no pages of its change and its version", async () => {
    for (const path of [`diffs/${diffId}`, `snapshots/${snapshotId}`, `compare?from=${snapshotId}&to=${snapshotId}`])
      expect((await get(`/vendors/${slug}/${path}`, keys.owner)).status).toBe(404);
  });

  it("is counted in the statistics of its account alone", async () => {
    const read = async (name: string) => {
      const tool = JSON.parse((await call("get_stats", () => ({}))(keys[name])).text).result.structuredContent;
      const { vendors, snapshots, category_breakdown } = JSON.parse((await get("/api/v1/stats", keys[name])).text);
      return [tool.diffs, vendors, snapshots, category_breakdown.database];
    };
    // Other tests add vendors at the same time.
    await expect
      .poll(async () => {
        const [own, others] = [await read("owner"), await read("other pro")];
        return own.map((count, index) => count - (others[index] ?? 0));
      })
      .toEqual([1, 1, 2, 1]);
  });

  it("is not removed with another key", async () => {
    for (const name of ["other pro", "free", "none"]) {
      const headers: Record<string, string> = keys[name] ? { authorization: `Bearer ${keys[name]}` } : {};
      const { status } = await readStream(`${inject("baseUrl")}/api/v1/vendors/${slug}`, { method: "DELETE", headers });
      expect([name, status]).toEqual([name, { "other pro": 404, free: 404, none: 401 }[name]]);
    }
    const { text } = await call("remove_vendor", () => ({ slug }))(keys["other pro"]);
    expect(JSON.parse(text).result.isError).toBe(true);
  });

  it.each(["/api/v1/vendors", "/api/v1/changes"])("is kept out of shared caches by %s", async (path) => {
    const headersFor = async (key?: string) => {
      const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const { headers: sent } = await readStream(`${inject("baseUrl")}${path}`, { headers });
      return [sent["cache-control"]?.split(",")[0], sent.vary, sent["access-control-allow-origin"]];
    };
    expect(await headersFor(keys.owner)).toEqual(["private", expect.stringContaining("Authorization"), "*"]);
    expect(await headersFor()).toEqual(["public", expect.stringContaining("Authorization"), "*"]);
    expect(await headersFor("ltf_broken")).toEqual(["no-store", "Authorization", "*"]);
  });

  it("is shown once its account's tier has ended in the account's own list alone, so that it can be removed", async () => {
    await withAppDatabase((database) => database.account.update({ where: { id: accountId }, data: { tier: "free" } }));
    const shown: string[] = [];
    for (const { name, ask, shows = hasMarker } of views) if (shows(await ask(keys.owner))) shown.push(name);
    expect(shown).toEqual(["GET /api/v1/vendors/custom"]);
  });
});
