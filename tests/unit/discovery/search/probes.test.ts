import { beforeAll, describe, expect, it } from "vitest";
import { search } from "#lib/discovery/search/index";
import type { Catalogue, Vertical } from "#lib/replay/cassettes/index";
import { bundledCatalogue, searchContext } from "./search-context";

/** A query, and the documents of which one must be among the first three hits. */
type Probe = [q: string, ...ids: string[]];

const typos: Probe[] = [
  ["webhok", "docs/webhooks"],
  ["webhhook", "docs/webhooks"],
  ["wbehook", "docs/webhooks"],
  ["cassete", "docs/cassettes"],
  ["casette", "docs/cassettes"],
  ["authentification", "docs/keys-and-tiers"],
  ["authetication", "docs/keys-and-tiers"],
  ["configuraton", "docs/configuration"],
  ["confguration", "docs/configuration"],
  ["replya speed", "docs/replay"],
  ["vendros", "docs/vendors", "docs/operating-vendors", "docs/custom-vendors"],
  ["vender custom", "docs/custom-vendors"],
  ["securty score", "docs/security-score"],
  ["benchmraks", "docs/benchmarks", "docs/benchmarks-site", "docs/benchmarks-soak", "docs/benchmarks-tracking"],
  ["privcy", "docs/privacy"],
  ["retenton of data", "docs/privacy", "docs/configuration", "docs/custom-vendors"],
  ["billng", "docs/billing"],
  ["stirpe checkout", "docs/billing"],
  ["intelligance reports", "docs/intelligence"],
  ["quickstrat", "docs/quickstart"],
  ["metrcis", "docs/metrics"],
  ["openmetrcs", "docs/metrics"],
  ["vercle deployment", "docs/vercel"],
  ["self hostng", "docs/self-hosting"],
  ["glosary", "docs/glossary"],
  ["recrding", "docs/recording"],
  ["recieve webhooks", "docs/webhooks"],
  ["signiture verification", "docs/webhooks"],
  ["rate limts", "docs/limits"],
  ["eror codes", "docs/errors"],
  ["fleat manifest", "docs/fleet", "docs/discovery"],
  ["prunning jobs", "docs/jobs"],
  ["mcp sesions", "docs/mcp", "docs/decisions/2026-11-21-mcp-sessions"],
  ["robots crawlr", "docs/bot"],
  ["anthropc drop-in", "docs/drop-in"],
  ["ollma", "docs/drop-in", "docs/recording", "docs/test-your-app"],
  ["vitst fixtures", "docs/testing", "docs/test-your-app"],
  ["changelg policy", "docs/changelog-policy"],
  ["upstahs", "docs/search", "docs/limits", "docs/configuration"],
  ["flaky tset debounce", "developer-tools/flaky-debounce-test"],
];

const prefixes: Probe[] = [
  ["webh", "docs/webhooks"],
  ["casse", "docs/cassettes"],
  ["configu", "docs/configuration"],
  ["authent", "docs/keys-and-tiers"],
  ["authenticati", "docs/keys-and-tiers"],
  ["repl", "docs/replay"],
  ["vend", "docs/vendors", "docs/operating-vendors", "docs/custom-vendors"],
  ["secur", "docs/security-score", "docs/security"],
  ["security sc", "docs/security-score"],
  ["bench", "docs/benchmarks", "docs/benchmarks-site", "docs/benchmarks-soak"],
  ["priva", "docs/privacy"],
  ["billi", "docs/billing"],
  ["strip", "docs/billing"],
  ["intellig", "docs/intelligence"],
  ["quicks", "docs/quickstart"],
  ["metr", "docs/metrics"],
  ["openm", "docs/metrics"],
  ["verc", "docs/vercel"],
  ["self ho", "docs/self-hosting"],
  ["gloss", "docs/glossary"],
  ["recordi", "docs/recording"],
  ["signat", "docs/webhooks", "docs/keys-and-tiers"],
  ["rate li", "docs/limits"],
  ["error co", "docs/errors"],
  ["flee", "docs/fleet"],
  ["prun", "docs/jobs"],
  ["mcp sess", "docs/mcp", "docs/decisions/2026-11-21-mcp-sessions"],
  ["robo", "docs/bot"],
  ["drop i", "docs/drop-in"],
  ["ollam", "docs/drop-in", "docs/recording", "docs/test-your-app"],
  ["vite", "docs/testing", "docs/test-your-app"],
  ["changel", "docs/changelog-policy"],
  ["upst", "docs/search", "docs/limits", "docs/configuration"],
  ["debounc", "developer-tools/flaky-debounce-test"],
  ["feed at", "docs/feed"],
  ["diff hunk", "docs/diffs"],
  ["operat", "docs/operations", "docs/operating-vendors"],
  ["several mach", "docs/several-machines"],
  ["tok", "developer-tools/token-bucket-limiter", "docs/intelligence"],
  ["disco", "docs/discovery"],
];

let catalogue: Catalogue;
beforeAll(() => {
  catalogue = bundledCatalogue();
});

async function firstThree(q: string, partial: boolean, vertical: Vertical = "developer-tools"): Promise<string[]> {
  const { hits } = await search(searchContext(catalogue, vertical), { q, limit: 3, partial });
  return hits.map(({ id }) => id);
}

/** Returns the probes that find none of their documents, with what they find. */
async function failing(probes: readonly Probe[], partial: boolean): Promise<unknown[]> {
  const results = await Promise.all(
    probes.map(async ([q, ...wanted]) => ({ q, wanted, found: await firstThree(q, partial) })),
  );
  return results.filter(({ wanted, found }) => !found.some((id) => wanted.includes(id)));
}

describe("a search", () => {
  it("finds the page of each of 40 queries with a typo among the first three", async () => {
    expect(typos).toHaveLength(40);
    expect(await failing(typos, false)).toEqual([]);
    expect(await failing(typos, true)).toEqual([]);
  });

  it("finds the page of each of 40 beginnings of words while they are typed among the first three", async () => {
    expect(prefixes).toHaveLength(40);
    expect(await failing(prefixes, true)).toEqual([]);
  });

  it("ranks decision records below the pages that they explain", async () => {
    for (const q of ["mcp", "mcp sessions", "test my app", "security score", "webhooks", "search", "queues", "diffs"]) {
      const [first] = await firstThree(q, false);
      expect([q, first]).toEqual([q, expect.not.stringContaining("docs/decisions/")]);
    }
    expect(await firstThree("why a search index of our own", false)).toContain(
      "docs/decisions/2026-11-21-search-of-our-own",
    );
  });

  it("finds words that are written apart or together", async () => {
    for (const [q, id] of [
      ["web hook", "docs/webhooks"],
      ["dropin", "docs/drop-in"],
      ["drop-in", "docs/drop-in"],
      ["selfhosting", "docs/self-hosting"],
      ["quick start", "docs/quickstart"],
    ]) {
      expect([q, (await firstThree(q as string, false))[0]]).toEqual([q, id]);
    }
  });

  it("finds nothing for words that nothing resembles, and says what to try", async () => {
    const answer = await search(searchContext(catalogue), { q: "zzzqqq", limit: 3 });
    expect(answer).toMatchObject({ count: 0, hint: expect.stringMatching(/^No results\. Try /) });
    const common = await search(searchContext(catalogue), { q: "what is the", limit: 3 });
    expect(common.hint).toMatch(/^No results: .*common words/);
    expect(await search(searchContext(catalogue), { q: "webhook", limit: 3 })).not.toHaveProperty("hint");
  });

  it("corrects no numbers and no short words", async () => {
    expect(await firstThree("40404", false)).toEqual([]);
    expect(await firstThree("qx", false)).toEqual([]);
  });
});
