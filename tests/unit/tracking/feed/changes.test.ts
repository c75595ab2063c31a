import { describe, expect, test } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import type { PageParameters } from "#lib/contract/query-schemas";
import type { Site } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import { dayMs } from "#lib/platform/time";
import {
  acceptedFilters,
  changesHref,
  changesQuerySchema,
  exportChanges,
  getAtomFeed,
  getChangeList,
  getJsonFeed,
  listChanges,
  readChangeFilters,
  suggestVendors,
} from "#lib/tracking/feed/index";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addHistory, addVendor, reportRow, type VendorRow } from "#tests/support/vendor-rows";

const start = Date.UTC(2026, 10, 1);
const day = (number: number, offsetMs = 0) => new Date(start + (number - 1) * dayMs + offsetMs);

const fixture = vendorDatabase();

type Report = { significance: number; categories?: string[] };

/** Adds a vendor with a change at each of these times, each with its report if one is given. Returns the ids of the diffs. */
async function addChanges(
  slug: string,
  changes: readonly { at: Date; report?: Report }[],
  row: VendorRow = {},
): Promise<string[]> {
  const versions = changes.map(({ at }, index) => [`${slug} ${index}\n`, at] as const);
  const vendor = { slug, isPublic: true, ...row };
  const [, ...stored] = await addHistory(fixture.client, vendor, [["first\n", day(0)], ...versions]);
  const { id: vendorId } = await fixture.client.vendor.findUniqueOrThrow({ where: { slug } });
  const reports = changes.flatMap(({ at, report }, index) => {
    const { diffId = null, snapshotId = null } = stored[index] ?? {};
    const subject = { vendorId, diffId, snapshotId, createdAt: at, summary: `Report ${index}.` };
    return report ? [reportRow({ ...subject, ...report })] : [];
  });
  await fixture.client.report.createMany({ data: reports });
  return stored.map(({ diffId }) => diffId as string);
}

const list = (query: PageParameters = {}, cursor?: string) =>
  listChanges({ database: fixture.client, clock: systemClock }, { ...readChangeFilters(query), cursor });
/** What an account with one of these tiers gets. */
const listOf = (caller: Caller, query: PageParameters = {}, cursor?: string) =>
  listChanges({ database: fixture.client, clock: systemClock, caller }, { ...readChangeFilters(query), cursor });
const idsOf = async (query?: PageParameters) => (await list(query)).changes.map(({ id }) => id);

describe("the changes", () => {
  test("are those of all vendors but the ones of accounts, newest first", async () => {
    const [a1, a3] = await addChanges("acme", [{ at: day(1) }, { at: day(3) }]);
    const [b2] = await addChanges("beta", [{ at: day(2) }], { isPublic: false });
    await addChanges("own", [{ at: day(4), report: { significance: 5 } }], { accountId: fixture.accountId });
    expect(await idsOf()).toEqual([a3, b2, a1]);
    for (const query of [{ vendor: "own" }, { min_significance: "5" }, { category: "api-change" }])
      expect(await idsOf(query)).toEqual([]);
  });

  test("have the reports that everyone may see: all of public vendors, the newest of others, and each significance", async () => {
    const changes = [1, 2].map((number) => ({ at: day(number), report: { significance: number } }));
    await addChanges("acme", changes);
    await addChanges(
      "beta",
      changes.map(({ at, report }) => ({ at: new Date(+at + 1), report })),
      { isPublic: false },
    );
    const shown = (await list()).changes.map(({ slug, significance, summary, categories }) => [
      ...[slug, significance, summary, categories?.length],
    ]);
    expect(shown).toEqual([
      ["beta", 2, "Report 1.", 1],
      ["acme", 2, "Report 1.", 1],
      ["beta", 1, null, undefined],
      ["acme", 1, "Report 0.", 1],
    ]);
    expect((await list({ category: "api-change" })).changes.map(({ slug }) => slug)).toEqual(["beta", "acme", "acme"]);
  });

  test("are filtered by vendor, significance, category and day, alone and together", async () => {
    const [a1, a2, a3, a4] = (await addChanges("acme", [
      { at: day(1), report: { significance: 5, categories: ["pricing-change", "api-change"] } },
      { at: day(2), report: { significance: 2 } },
      { at: day(3, dayMs - 1), report: { significance: 4, categories: ["pricing-change"] } },
      { at: day(4) },
    ])) as [string, string, string, string];
    const [b2] = (await addChanges("beta", [{ at: day(2, 5), report: { significance: 3 } }])) as [string];
    expect(await idsOf({ vendor: "acme" })).toEqual([a4, a3, a2, a1]);
    expect(await idsOf({ vendor: "nobody" })).toEqual([]);
    expect(await idsOf({ min_significance: "3" })).toEqual([a3, b2, a1]);
    expect(await idsOf({ min_significance: "3", vendor: "acme" })).toEqual([a3, a1]);
    expect(await idsOf({ category: "pricing-change" })).toEqual([a3, a1]);
    expect(await idsOf({ category: "pricing-change", min_significance: "5" })).toEqual([a1]);
    expect(await idsOf({ from: "2026-11-02", to: "2026-11-03" })).toEqual([a3, b2, a2]);
    expect(await idsOf({ from: "2026-11-04" })).toEqual([a4]);
    expect(await idsOf({ to: "2026-11-01" })).toEqual([a1]);
    expect(await idsOf({ from: "2026-11-03", to: "2026-11-02" })).toEqual([]);
    expect(await idsOf({ from: "0000-01-01", to: "9999-12-31" })).toHaveLength(5);
    expect(
      await idsOf({ from: "2026-11-02", to: "2026-11-03", min_significance: "4", category: "api-change" }),
    ).toEqual([]);
  });

  test("are paged by cursor without gaps or repeats", async () => {
    const changes = Array.from({ length: 65 }, (_, minute) => ({
      at: day(1, minute * 60_000),
      report: { significance: 2 + (minute % 4) },
    }));
    const ids = await addChanges("acme", changes);
    for (const query of [{}, { vendor: "acme" }, { min_significance: "2" }, { category: "api-change" }]) {
      const walked: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list(query, cursor);
        walked.push(...page.changes.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect([query, walked]).toEqual([query, ids.toReversed()]);
    }
  });
});

describe("an account's own vendors", () => {
  test("have their changes in the lists of its keys alone, in the same order and pages, with every report", async () => {
    const report = { significance: 4, categories: ["api-change"] };
    const [a1, a3] = await addChanges("acme", [{ at: day(1) }, { at: day(3) }]);
    const own = { accountId: fixture.accountId, isPublic: false };
    const [o2, o4] = await addChanges(
      "own",
      [
        { at: day(2), report },
        { at: day(4), report },
      ],
      own,
    );
    const owner = callerOf("pro", fixture.accountId);
    const others = [callerOf("pro"), callerOf("starter", fixture.accountId), anonymousCaller];
    for (const [query, expected, shown] of [
      [{}, [o4, a3, o2, a1], [a3, a1]],
      [{ min_significance: "4" }, [o4, o2], []],
      [{ category: "api-change" }, [o4, o2], []],
      [{ vendor: "own" }, [o4, o2], []],
      [{ vendor: "own", category: "api-change", to: "2026-11-02" }, [o2], []],
    ] as const) {
      const { changes, unknownVendors } = await listOf(owner, query);
      expect([query, changes.map(({ id }) => id), unknownVendors]).toEqual([query, expected, []]);
      for (const caller of others)
        expect([query, (await listOf(caller, query)).changes.map(({ id }) => id)]).toEqual([query, shown]);
    }
    const { changes } = await listOf(owner, { vendor: "own" });
    expect(changes.map(({ summary }) => summary)).toEqual(["Report 1.", "Report 0."]);
    const idsAfter = async (caller: Caller) => (await listOf(caller, {}, o4)).changes.map(({ id }) => id);
    expect([await idsAfter(owner), await idsAfter(anonymousCaller)]).toEqual([
      [a3, o2, a1],
      [a3, a1],
    ]);
  });
});

describe("the changes of operations", () => {
  /** Adds changes of `GET /items` to a diff, and of as many other operations as given. */
  const addOperations = (diffId: string | undefined, otherCount = 0) => fixture.client.$executeRaw`
    INSERT INTO operation_changes (id, diff_id, method, path, urls, pattern, kind, breaking, doc_only, differences,
      difference_count, significance, created_at)
    SELECT gen_random_uuid(), ${diffId}::uuid, 'GET', '/items', '{}',
      CASE WHEN n = 0 THEN '^GET api\\.example/items$' ELSE '^GET api\\.example/others$' END, 'removed', true, false, '[]', 0, 5, now()
    FROM generate_series(0, ${otherCount}) n`;

  test("are found however many newer ones other accounts have", async () => {
    const [a1] = await addChanges("acme", [{ at: day(1) }]);
    const days = [2, 3, 4, 5, 6, 7].map((number) => ({ at: day(number) }));
    const ofOwn = await addChanges("own", days, { accountId: fixture.accountId });
    await fixture.client.vendor.updateMany({ data: { reader: "openapi" } });
    await addOperations(a1);
    for (const id of ofOwn) await addOperations(id, 1_999);
    const idsFor = async (caller: Caller, call: string) =>
      (await listOf(caller, { operations: `GET https://api.example/${call}` })).changes.map(({ id }) => id);
    const owner = callerOf("pro", fixture.accountId);
    for (const caller of [anonymousCaller, callerOf("pro"), callerOf("starter", fixture.accountId)]) {
      expect(await idsFor(caller, "items")).toEqual([a1]);
      expect(await idsFor(caller, "others")).toEqual([]);
    }
    // Of those that its own vendors have, the newest 10,000 are searched.
    expect(await idsFor(owner, "items")).toEqual(ofOwn.toReversed().slice(0, 5));
    expect((await listOf(owner, { operations: "GET https://api.example/others", vendor: "own" })).changes).toHaveLength(
      5,
    );
    // Of those that match the other filters, not of all.
    const operations = "GET https://api.example/items";
    for (const [filters, cursor, id] of [
      [{}, ofOwn[1], ofOwn[0]],
      [{ to: "2026-11-02" }, undefined, ofOwn[0]],
      [{ vendor: "acme" }, undefined, a1],
    ] as const)
      expect((await listOf(owner, { operations, ...filters }, cursor)).changes[0]?.id).toBe(id);
  });

  test("are searched in the newest 20,000 diffs of the OpenAPI documents that the caller sees", async () => {
    const [a1] = await addChanges("acme", [{ at: day(1) }]);
    const [o1, o2] = await addChanges("own", [{ at: day(2) }, { at: day(3) }], { accountId: fixture.accountId });
    await fixture.client.vendor.updateMany({ data: { reader: "openapi" } });
    for (const id of [a1, o1]) await addOperations(id);
    const addNewer = (count: number, prefix: string) => fixture.client.$executeRaw`
      WITH versions AS (INSERT INTO snapshots SELECT copy.* FROM diffs d JOIN snapshots s ON s.id = d.current_snapshot_id,
        generate_series(1, ${count}::int) n,
        jsonb_populate_record(s, jsonb_build_object('id', overlay(md5(n::text) PLACING ${prefix} FROM 1)::uuid)) copy
        WHERE d.id = ${o2}::uuid RETURNING id)
      INSERT INTO diffs SELECT copy.* FROM diffs d, versions,
        jsonb_populate_record(d, jsonb_build_object('id', versions.id, 'current_snapshot_id', versions.id)) copy
        WHERE d.id = ${o2}::uuid`;
    const operations = "GET https://api.example/items";
    const owner = callerOf("pro", fixture.accountId);
    const idsFor = async (caller: Caller) => (await listOf(caller, { operations })).changes.map(({ id }) => id);
    await addNewer(19_998, "fffffff");
    expect(await idsFor(owner)).toEqual([o1]);
    await addNewer(1, "ffffffff");
    expect([await idsFor(owner), await idsFor(anonymousCaller)]).toEqual([[], [a1]]);
    expect((await listOf(owner, { operations, to: "2026-11-02" })).changes.map(({ id }) => id)).toEqual([o1, a1]);
  });
});

test("of several vendors are in one list, by their reports too", async () => {
  const reported = (number: number, significance: number) => ({ at: day(number), report: { significance } });
  const [a1, a4] = await addChanges("acme", [reported(1, 4), reported(4, 2)]);
  const [b2] = await addChanges("beta", [reported(2, 5)]);
  await addChanges("gamma", [reported(3, 5)]);
  await addChanges("own", [reported(5, 5)], { accountId: fixture.accountId });
  const vendor = "Beta, acme,,own";
  expect(await idsOf({ vendor })).toEqual([a4, b2, a1]);
  expect(await idsOf({ vendor, min_significance: "4" })).toEqual([b2, a1]);
  expect(await idsOf({ vendor, to: "2026-11-02" })).toEqual([b2, a1]);
  const many = Array.from({ length: 51 }, (_, index) => `v${index}`).join();
  expect(changesQuerySchema.safeParse({ vendor: many }).error?.issues[0]?.message).toBe("must name at most 50 vendors");
  const query = changesQuerySchema.parse({ vendor });
  const days = { from: "2026-11-25", to: "2026-11-01" };
  expect(changesQuerySchema.safeParse(days).error?.issues).toMatchObject([{ path: ["to"], message: /before "from"/ }]);
  const listed = getChangeList(
    { database: fixture.client, clock: systemClock, origin: "https://x.example" },
    { query },
  );
  await expect(listed).rejects.toThrow('there is no vendor "own"');
});

describe("a vendor without matching changes", () => {
  test("is told from one that does not exist or that an account owns", async () => {
    await addChanges("acme", [{ at: day(1) }]);
    await addChanges("quiet", []);
    await addChanges("own", [{ at: day(1) }], { accountId: fixture.accountId });
    const unknownOf = async (query: PageParameters) => (await list(query)).unknownVendors;
    for (const query of [{}, { vendor: "ACME" }, { vendor: "acme", min_significance: "5" }, { vendor: "quiet,acme" }])
      expect([query, await unknownOf(query)]).toEqual([query, []]);
    for (const vendor of ["nope", "own"]) expect(await unknownOf({ vendor: `${vendor},acme` })).toEqual([vendor]);
    expect((await list({ vendor: "ACME" })).changes).toHaveLength(1);
  });

  test("is told from one that was never fetched", async () => {
    await addChanges("quiet", []);
    await addVendor(fixture.client, { slug: "awaited" });
    for (const [vendor, isVendorUnfetched] of [
      ["quiet", false],
      ["nope", false],
      ["awaited", true],
    ] as const)
      expect(await list({ vendor })).toMatchObject({ changes: [], isVendorUnfetched });
  });

  test("is found by texts that have the words of its slug, if the caller sees it", async () => {
    await addChanges("openai", [], { name: "OpenAI" });
    await addChanges("key-warden", [], { name: "Vault" });
    await addChanges("open-ai", [], { accountId: fixture.accountId });
    const suggest = async (vendor: string, caller = anonymousCaller) => {
      const context = { database: fixture.client, clock: systemClock, caller };
      return (await suggestVendors(context, vendor.split(","))).map(({ slug }) => slug);
    };
    expect(await suggest("Open AI")).toEqual(["openai"]);
    expect(await suggest("open-ai", callerOf("pro", fixture.accountId))).toEqual(["open-ai", "openai"]);
    expect(await suggest("Key Warden, OpenAI,,nope")).toEqual(["key-warden", "openai"]);
    for (const vendor of ["そば", "open", "%", "Vault"]) expect(await suggest(vendor)).toEqual([]);
  });

  test("is a 400 that names it in the list, the files and the feeds if the caller does not see it", async () => {
    await addChanges("quiet", []);
    await addChanges("own", [{ at: day(1) }], { accountId: fixture.accountId });
    const [site, buildDate] = [{ display_name: "Tapes" } as Site, "2026-11-01"];
    const context = { database: fixture.client, clock: systemClock, origin: "http://tapes.example", site, buildDate };
    for (const read of [
      getChangeList,
      getAtomFeed,
      getJsonFeed,
      (...[given, input]: Parameters<typeof getChangeList>) => exportChanges(given, input, "csv"),
    ]) {
      const ask = (vendor: string) => read(context, { query: changesQuerySchema.parse({ vendor }) });
      await expect(ask("quiet")).resolves.toBeDefined();
      for (const vendor of ["nope", "own"]) {
        const message = `vendor: there is no vendor "${vendor}". GET /api/v1/vendors/search?q=${vendor} searches their names.`;
        await expect(ask(vendor)).rejects.toMatchObject({ code: "bad_request", message });
      }
    }
    await addVendor(fixture.client, { slug: "awaited" });
    const lastFetch = async (query: object) =>
      (await getChangeList(context, { query: changesQuerySchema.parse(query) }))._meta.last_fetched_at;
    expect([await lastFetch({ vendor: "awaited" }), await lastFetch({})]).toEqual([null, undefined]);
    expect(await lastFetch({ vendor: "quiet" })).toMatch(/Z$/);
    const caller = callerOf("pro", fixture.accountId);
    const query = changesQuerySchema.parse({ vendor: "own", min_significance: "5" });
    expect((await getChangeList({ ...context, caller }, { query })).changes).toEqual([]);
  });
});

describe("the filters of a URL", () => {
  const none = { filters: { min_significance: 1 }, invalid: [] };

  test("are parsed, and empty and repeated values are ignored", () => {
    expect(readChangeFilters({})).toEqual(none);
    expect(readChangeFilters({ vendor: " ", category: "", min_significance: "", from: "", to: "" })).toEqual(none);
    expect(readChangeFilters({ vendor: [" AcMe", "beta"], from: "2026-11-01" })).toEqual({
      filters: { min_significance: 1, vendor: "acme", from: "2026-11-01" },
      invalid: [],
    });
  });

  test("that are not valid are left out, and named with the values that are", () => {
    const given = { vendor: "\0", category: "x", min_significance: "9", from: " 2026-13-01", to: ["yesterday"] };
    const { filters, invalid } = readChangeFilters(given);
    expect(filters).toEqual(none.filters);
    expect(invalid).toEqual([
      "The filter “vendor=\0” is ignored: it must not contain NUL.",
      expect.stringMatching(
        /^The filter “category=x” is ignored: it must be one of "new-feature", .*"formatting-only"\.$/,
      ),
      "The filter “min_significance=9” is ignored: it must be a whole number from 1 to 5.",
      "The filter “from=2026-13-01” is ignored: it must be a date such as 2026-11-21.",
      "The filter “to=yesterday” is ignored: it must be a date such as 2026-11-21.",
    ]);
  });

  test("that select nothing, or are not known, are named", () => {
    const given = { from: "2026-11-03", to: "2026-11-02", cursor: "2", until: "2026-11-04" };
    const { filters, cursor, invalid } = readChangeFilters(given);
    expect([filters, cursor]).toEqual([{ min_significance: 1, from: "2026-11-03", to: "2026-11-02" }, undefined]);
    expect(invalid).toEqual([
      "The filter “cursor=2” is ignored: it must be the cursor of a link to the next page.",
      "The parameter “until” is ignored: this page has vendor, models, operations, category, min_significance, from, to, cursor.",
      "No change can be from 2026-11-03 on and up to 2026-11-02: “from” is later than “to”.",
    ]);
  });

  test("that feeds and files refuse are not in their links", () => {
    const linked = (given: Record<string, string>, unknown: string[] = []) =>
      changesHref("/changes.csv", acceptedFilters(readChangeFilters(given).filters, unknown));
    const given = { vendor: "acme,nope", from: "2026-11-02", to: "2026-11-03" };
    expect(linked(given)).toBe("/changes.csv?vendor=acme%2Cnope&from=2026-11-02&to=2026-11-03");
    expect(linked(given, ["nope"])).toBe("/changes.csv?from=2026-11-02&to=2026-11-03");
    expect(linked({ ...given, to: "2026-11-01" })).toBe("/changes.csv?vendor=acme%2Cnope");
  });

  test("are written without defaults, and read back", () => {
    expect(changesHref("/changes", readChangeFilters({}).filters)).toBe("/changes");
    const query = {
      vendor: "a&b",
      category: "api-change",
      min_significance: "3",
      from: "2026-11-01",
      to: "2026-11-02",
    };
    const href = changesHref("/changes", readChangeFilters(query).filters, "c");
    expect(Object.fromEntries(new URL(href, "http://127.0.0.1").searchParams)).toEqual({ ...query, cursor: "c" });
  });
});

describe("the files of changes", () => {
  const origin = "http://tapes.example";
  const context = () => ({ database: fixture.client, clock: systemClock, origin });
  const input = (cursor?: string) => ({ query: { ...changesQuerySchema.parse({ vendor: "acme" }), cursor } });

  test("are CSV whose cells are quoted and never formulas, and JSON lines with the changes of the list", async () => {
    await addChanges("acme", [{ at: day(1), report: { significance: 4 } }, { at: day(2) }]);
    await fixture.client.report.updateMany({ data: { summary: '=HYPERLINK("http://x")\nfor, all' } });
    const { changes } = await getChangeList(context(), input());
    const lines = await exportChanges(context(), input(), "jsonl");
    expect(
      lines.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(changes);
    const { text, headers } = await exportChanges(context(), input(), "csv");
    const [newer, older] = changes;
    expect([text, headers]).toEqual([
      [
        "id,created_at,vendor,vendor_category,lines_added,lines_removed,significance,categories,summary,models,operations,url",
        `${newer?.id},2026-11-02T00:00:00.000Z,acme,database,1,1,,,,,,${newer?.url}`,
        `${older?.id},2026-11-01T00:00:00.000Z,acme,database,1,1,4,${older?.categories?.join(" ")},"'=HYPERLINK(""http://x"")\nfor, all",,,${older?.url}`,
        "",
      ].join("\r\n"),
      {},
    ]);
  });

  test("go on after 1,000 changes in the next file", async () => {
    await addChanges("acme", [{ at: day(1) }]);
    await fixture.client.$executeRaw`
      WITH versions AS (INSERT INTO snapshots SELECT copy.* FROM diffs d JOIN snapshots s ON s.id = d.current_snapshot_id,
        generate_series(1, 1000) n, jsonb_populate_record(s, jsonb_build_object('id', md5(n::text)::uuid)) copy RETURNING id)
      INSERT INTO diffs SELECT copy.* FROM diffs d, versions,
        jsonb_populate_record(d, jsonb_build_object('id', versions.id, 'current_snapshot_id', versions.id)) copy`;
    const { text, headers } = await exportChanges(context(), input(), "jsonl");
    const cursor = /^<http:\/\/tapes\.example\/changes\.jsonl\?vendor=acme&cursor=(.+)>; rel="next"$/.exec(
      headers.Link ?? "",
    )?.[1];
    const next = await exportChanges(context(), input(cursor), "jsonl");
    const ids = `${text}${next.text}`
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect([text.split("\n").length, new Set(ids).size, next.headers]).toEqual([1_001, 1_001, {}]);
  });
});
