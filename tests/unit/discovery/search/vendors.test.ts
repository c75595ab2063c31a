import { describe, expect, it } from "vitest";
import { search } from "#lib/discovery/search/index";
import type { Database } from "#lib/platform/database/index";
import type { StartTimer } from "#lib/platform/timer";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion, reportRow } from "#tests/support/vendor-rows";
import { bundledCatalogue, searchContext } from "./search-context";

const fixture = vendorDatabase();
const catalogue = bundledCatalogue();

/** A context with its own view of the database, so that no earlier test has read its vendors. */
function contextOf(database: Database = fixture.client) {
  let nowMs = 0;
  const context = searchContext(catalogue);
  const own = new Proxy(database, { get: (target, key) => Reflect.get(target, key, target) });
  return {
    ...context,
    database: own,
    clock: { ...context.clock, monotonicMs: () => nowMs },
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

async function addReport(database: Database, vendorId: string, summary: string): Promise<void> {
  await database.report.create({ data: reportRow({ vendorId, summary, mode: "full" }) });
}

const idsOf = async (context: ReturnType<typeof contextOf>, q: string, partial = false) =>
  (await search(context, { q, limit: 10, partial })).hits.map(({ id }) => id);

describe("vendors in the search", () => {
  it("are found by name, slug, domain, a typo and a beginning, before pages that mention them", async () => {
    await addVendor(fixture.client, { slug: "stripe", name: "Stripe", domain: "pay.example", category: "payments" });
    const context = contextOf();
    const { hits } = await search(context, { q: "Stripe", limit: 10 });
    expect(hits[0]).toEqual({
      id: "vendors/stripe",
      surface: "page",
      kind: "vendor",
      title: "Stripe",
      ...{
        url: "https://replay.example.com/vendors/stripe",
        score: expect.any(Number),
        snippet: "pay.example, payments.",
      },
    });
    expect(hits.map(({ id }) => id)).toContain("docs/billing");
    expect((await idsOf(context, "strpie"))[0]).toBe("vendors/stripe");
    expect((await idsOf(context, "strip", true))[0]).toBe("vendors/stripe");
    expect(await idsOf(context, "pay.example")).toContain("vendors/stripe");
  });

  it.each([
    ["beginnings of QuarryDB", { slug: "quarrydb", name: "QuarryDB" }, ["quar", "quarr", "quarry"]],
    ["beginnings of Forgepipe", { slug: "forgepipe", name: "Forgepipe" }, ["forg", "forge", "forgep"]],
    ["beginnings of Plotwell", { slug: "plotwell", name: "Plotwell" }, ["plot", "plotw", "plotwe"]],
    ["typos in the beginning of a name", { slug: "quarrydb", name: "QuarryDB" }, ["quary", "quarrry", "quatry"]],
    ["a name as two words", { slug: "plainocean", name: "PlainOcean" }, ["plain ocean"]],
    ["a domain", { slug: "stripe", name: "Stripe", domain: "stripe.com" }, ["stripe.com"]],
    ["a part of a domain", { slug: "aws", name: "Amazon Web Services", domain: "aws.amazon.com" }, ["amazon.com"]],
    ["a domain with a label of one letter", { slug: "letters", name: "Letters", domain: "q.ai" }, ["q.ai"]],
  ])("are found by %s, before pages and others", async (_what, vendor, queries) => {
    await addVendor(fixture.client, { slug: "others", name: "Others AI", domain: "others.ai" });
    await addVendor(fixture.client, vendor);
    const context = contextOf();
    for (const q of queries) {
      for (const partial of [false, true]) {
        expect([q, partial, (await idsOf(context, q, partial))[0]]).toEqual([q, partial, `vendors/${vendor.slug}`]);
      }
    }
  });

  it("do not precede pages on a common word with which a name begins", async () => {
    await addVendor(fixture.client, { slug: "keywarden", name: "Keywarden" });
    await addVendor(fixture.client, { slug: "testwell", name: "Testwell" });
    const context = contextOf();
    for (const q of ["key", "api key", "test"]) {
      for (const partial of [false, true]) expect((await idsOf(context, q, partial))[0]).toMatch(/^(?:docs|site)\//);
    }
  });

  it("do not precede pages on the words of their domain", async () => {
    await addVendor(fixture.client, { slug: "aws", name: "Amazon Web Services", domain: "aws.amazon.com" });
    const context = contextOf();
    expect((await idsOf(context, "web hook"))[0]).toBe("docs/webhooks");
    expect((await idsOf(context, "web", true)).slice(0, 3)).toContain("docs/webhooks");
  });

  it("of the catalogue are found by what they are, which the snippet says", async () => {
    await addVendor(fixture.client, { slug: "resend", name: "Resend", domain: "resend.com", category: "integration" });
    await addVendor(fixture.client, { slug: "keeper", name: "Keeper", domain: "keeper.example", category: "security" });
    const context = contextOf();
    const { hits } = await search(context, { q: "resend", limit: 1 });
    expect(hits[0]?.snippet).toBe("resend.com, integration. API to send e-mail from applications.");
    expect((await search(context, { q: "keeper", limit: 1 })).hits[0]?.snippet).toBe("keeper.example, security.");
    expect(await idsOf(context, "password manager")).not.toContain("vendors/keeper");
  });

  it("are found by their newest report, which is shown as the snippet", async () => {
    const { id } = await addVendor(fixture.client, { slug: "quarry", name: "Quarry" });
    await addReport(fixture.client, id, "Removes the xylophone endpoint.");
    await addReport(fixture.client, id, "Renames the glockenspiel endpoint.");
    const context = contextOf();
    const { hits } = await search(context, { q: "glockenspiel", limit: 10 });
    expect(hits).toMatchObject([{ id: "vendors/quarry", snippet: expect.stringContaining("glockenspiel endpoint") }]);
    expect(await idsOf(context, "xylophone")).toEqual([]);
  });

  it("are never those of an account", async () => {
    await addVendor(fixture.client, { slug: "xylophone", name: "Xylophone", accountId: fixture.accountId });
    expect(await idsOf(contextOf(), "xylophone")).toEqual([]);
  });

  it("leave out the report of a file that is withheld from models", async () => {
    const { id } = await addVendor(fixture.client, { slug: "hostile", name: "Hostile" });
    await addVersion(fixture.client, "hostile", "# Hostile\n");
    await addReport(fixture.client, id, "Quotes the xylophone.");
    await fixture.client.snapshot.updateMany({ where: { vendorId: id }, data: { securityScore: 3 } });
    const context = contextOf();
    expect(await idsOf(context, "xylophone")).toEqual([]);
    expect(await idsOf(context, "hostile")).toContain("vendors/hostile");
  });

  it("are read again after 30 seconds, so that additions, changes and removals are found", async () => {
    await addVendor(fixture.client, { slug: "quarry", name: "Xylophone" });
    const context = contextOf();
    expect(await idsOf(context, "xylophone")).toEqual(["vendors/quarry"]);
    await fixture.client.vendor.update({ where: { slug: "quarry" }, data: { name: "Glockenspiel" } });
    await addVendor(fixture.client, { slug: "plotwell", name: "Plotwell Glockenspiel" });
    expect(await idsOf(context, "xylophone")).toEqual(["vendors/quarry"]);
    context.wait(30_000);
    expect(await idsOf(context, "xylophone")).toEqual([]);
    expect(new Set(await idsOf(context, "glockenspiel"))).toEqual(new Set(["vendors/quarry", "vendors/plotwell"]));
    await fixture.client.vendor.deleteMany();
    context.wait(30_000);
    expect(await idsOf(context, "glockenspiel")).toEqual([]);
  });

  it("do not change the ranking of cassettes and pages", async () => {
    const q = "webhook signature of a vendor's database";
    const before = await search({ ...contextOf(), database: undefined as never }, { q, limit: 20 });
    for (let number = 0; number < 30; number++) {
      const { id } = await addVendor(fixture.client, { slug: `v${number}`, name: "Quarry" });
      await addReport(fixture.client, id, "Webhook signature database.");
    }
    const after = await search(contextOf(), { q, limit: 50 });
    const others = after.hits.filter(({ kind }) => kind !== "vendor");
    expect(others).toEqual(before.hits.slice(0, others.length));
    expect(others.length).toBeGreaterThan(10);
  });

  it("do not delay or fail a search if the database does not respond, which is logged once", async () => {
    const failing = { $queryRaw: () => Promise.reject(new Error("no database")) } as unknown as Database;
    const context = contextOf(failing);
    expect(await idsOf(context, "webhook")).not.toEqual([]);
    context.wait(30_000);
    expect(await idsOf(context, "webhook")).not.toEqual([]);
    expect(context.lines.filter((line) => line.includes("could not read the vendors"))).toHaveLength(1);
    const hanging = { $queryRaw: () => new Promise(() => {}) } as unknown as Database;
    const startTimer: StartTimer = (_, onTime) => {
      onTime();
      return () => undefined;
    };
    expect(await idsOf({ ...contextOf(hanging), startTimer }, "webhook")).not.toEqual([]);
  });
});
