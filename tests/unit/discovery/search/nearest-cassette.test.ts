import { describe, expect, it } from "vitest";
import { findNearestCassette } from "#lib/discovery/search/index";
import type { CassetteSummary, Catalogue, Vertical } from "#lib/replay/cassettes/index";

type Known = { slug: string; title: string; prompt: string; end?: string };

/** A context whose catalogue lists these cassettes of one vertical; the test may change the list. */
function contextOf(known: Known[], vertical: Vertical = "legal") {
  const summaries = new Map<Known, CassetteSummary>();
  const summaryOf = (one: Known) => {
    const { slug, title, prompt, end = "complete" } = one;
    const summary =
      summaries.get(one) ?? ({ id: `${vertical}/${slug}`, vertical, title, prompt, end } as CassetteSummary);
    summaries.set(one, summary);
    return summary;
  };
  const catalogue = { list: async () => known.map(summaryOf) } as Catalogue;
  return { catalogue, site: { vertical } };
}

const lease = { slug: "lease", title: "A break clause", prompt: "How do we end the lease of our office?" };
const nda = { slug: "nda", title: "An NDA reviewed", prompt: "Review the confidentiality agreement." };

describe("the nearest cassette", () => {
  it("has the nearest prompt, whatever the forms of its words", async () => {
    const context = contextOf([lease, nda]);
    expect(await findNearestCassette(context, "ending office leases")).toBe("legal/lease");
    expect(await findNearestCassette(context, "reviewing of agreements")).toBe("legal/nda");
  });

  it("is a complete one on a tie or without a match, then the first by id", async () => {
    const cut = { slug: "a", title: "Same", prompt: "words", end: "error" };
    const [b, c] = ["b", "c"].map((slug) => ({ slug, title: "Same", prompt: "words" })) as [Known, Known];
    expect(await findNearestCassette(contextOf([cut, c, b]), "words")).toBe("legal/b");
    expect(await findNearestCassette(contextOf([cut, c, b]), "nothing near")).toBe("legal/b");
    expect(await findNearestCassette(contextOf([cut]), "nothing near")).toBe("legal/a");
  });

  it("follows the catalogue as cassettes are added and removed", async () => {
    const known: Known[] = [lease];
    const context = contextOf(known);
    expect(await findNearestCassette(context, "review an agreement")).toBe("legal/lease");
    known.push(nda);
    expect(await findNearestCassette(context, "review an agreement")).toBe("legal/nda");
    known.shift();
    expect(await findNearestCassette(context, "the lease")).toBe("legal/nda");
  });

  it("is undefined on a site without cassettes", async () => {
    expect(await findNearestCassette(contextOf([]), "x")).toBeUndefined();
  });
});
