import { describe, expect, it } from "vitest";
import type { CassetteSummary, Catalogue, Vertical } from "#lib/replay/cassettes/index";
import { chooseCassette } from "#lib/replay/playback/replay-message";
import type { MessagesBody } from "#lib/replay/playback/schemas";

type Known = { slug: string; title: string; prompt: string; end?: string };

/** A context whose catalogue lists these cassettes of one vertical; the list may be changed by the test. */
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

function choose(context: ReturnType<typeof contextOf>, prompt: string, { model = "any", header = "" } = {}) {
  const body = { model, max_tokens: 1, messages: [{ role: "user", content: prompt }] } as MessagesBody;
  return chooseCassette(context, { body, cassetteHeader: header || null });
}

const lease = { slug: "lease", title: "A break clause", prompt: "How do we end the lease of our office?" };
const nda = { slug: "nda", title: "An NDA reviewed", prompt: "Review the confidentiality agreement." };

describe("the cassette of a message", () => {
  it("is the one that the model names, else the one of the header", async () => {
    const context = contextOf([lease, nda]);
    const named = { model: "cassette:finance/bond", header: "legal/nda" };
    expect(await choose(context, "leases", named)).toBe("finance/bond");
    expect(await choose(context, "leases", { header: "legal/nda" })).toBe("legal/nda");
    await expect(choose(context, "x", { header: "../etc" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("is else the one with the nearest prompt, in whatever forms the words stand", async () => {
    const context = contextOf([lease, nda]);
    expect(await choose(context, "ending office leases")).toBe("legal/lease");
    expect(await choose(context, "reviewing of agreements")).toBe("legal/nda");
  });

  it("is on a tie, and where nothing is near, a complete one, then the first by id", async () => {
    const cut = { slug: "a", title: "Same", prompt: "words", end: "error" };
    const [b, c] = ["b", "c"].map((slug) => ({ slug, title: "Same", prompt: "words" })) as [Known, Known];
    expect(await choose(contextOf([cut, c, b]), "words")).toBe("legal/b");
    expect(await choose(contextOf([cut, c, b]), "nothing near")).toBe("legal/b");
    expect(await choose(contextOf([cut]), "nothing near")).toBe("legal/a");
  });

  it("follows the catalogue as cassettes come and go", async () => {
    const known: Known[] = [lease];
    const context = contextOf(known);
    expect(await choose(context, "review an agreement")).toBe("legal/lease");
    known.push(nda);
    expect(await choose(context, "review an agreement")).toBe("legal/nda");
    known.shift();
    expect(await choose(context, "the lease")).toBe("legal/nda");
  });

  it("is refused with what to do where the site has none", async () => {
    await expect(choose(contextOf([]), "x")).rejects.toThrow("Name one of another site");
  });
});
