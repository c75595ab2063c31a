import { describe, expect, it } from "vitest";
import { findNearestCassettes } from "#lib/discovery/search/index";
import type { CassetteSummary, Catalogue, Vertical } from "#lib/replay/cassettes/index";
import { minSimilarity } from "#lib/replay/playback/choose-cassette";

type Known = {
  slug: string;
  title: string;
  prompt: string;
  end?: string;
  provider?: string;
  answers?: number;
  operation?: string;
};

/** A context whose catalogue lists these cassettes of one vertical; the test may change the list. */
function contextOf(known: Known[], vertical: Vertical = "legal") {
  const summaries = new Map<Known, CassetteSummary>();
  const summaryOf = (one: Known) => {
    const { slug, title, prompt, end = "complete", provider = "anthropic", answers = 0, operation = "generate" } = one;
    const summary =
      summaries.get(one) ??
      ({
        id: `${vertical}/${slug}`,
        vertical,
        title,
        prompt,
        end,
        provider,
        match: { operation, answers, answeredIds: [] },
      } as unknown as CassetteSummary);
    summaries.set(one, summary);
    return summary;
  };
  const catalogue = { list: async () => known.map(summaryOf) } as unknown as Catalogue;
  return { catalogue, site: { vertical } };
}

const lease = { slug: "lease", title: "A break clause", prompt: "How do we end the lease of our office?" };
const nda = { slug: "nda", title: "An NDA reviewed", prompt: "Review the confidentiality agreement." };

async function nearest(context: ReturnType<typeof contextOf>, prompt: string) {
  const found = await findNearestCassettes(context, { prompt, provider: "anthropic", limit: 3 });
  return found.map(({ summary, similarity }) => [summary.id, Math.round(similarity * 100) / 100]);
}

describe("the nearest cassettes", () => {
  it("have the most similar prompts, whatever the forms of their words", async () => {
    const context = contextOf([lease, nda]);
    expect(await nearest(context, "ending office leases")).toEqual([["legal/lease", 1]]);
    expect(await nearest(context, "reviewing of agreements")).toEqual([["legal/nda", 1]]);
  });

  it("are less similar the more words they lack; one common word is not enough", async () => {
    const context = contextOf([lease, nda]);
    const [[, most] = [], [, less] = [], [, single] = []] = await Promise.all(
      ["end the office lease", "end the office lease of a boat", "lease"].map(
        async (prompt) => (await nearest(context, prompt))[0] ?? [],
      ),
    );
    expect(most).toBe(1);
    expect(less).toBeLessThan(1);
    expect(single).toBeLessThan(minSimilarity);
    expect(await nearest(context, "zebra")).toEqual([]);
  });

  it("are answers of the given provider, and first turns", async () => {
    const context = contextOf([
      lease,
      { ...lease, slug: "chat", provider: "openai-chat" },
      { ...lease, slug: "second", answers: 1 },
      { ...lease, slug: "count", operation: "count-tokens" },
    ]);
    expect((await nearest(context, "ending office leases")).map(([id]) => id)).toEqual(["legal/lease"]);
  });

  it("are found behind any number of another provider's", async () => {
    const others = Array.from({ length: 300 }, (_, number) => ({
      ...lease,
      slug: `chat-${number}`,
      title: "Lease",
      provider: "openai-chat",
    }));
    expect((await nearest(contextOf([lease, ...others]), "ending office leases")).map(([id]) => id)).toEqual([
      "legal/lease",
    ]);
  });

  it("are complete ones first on a tie, then ordered by id", async () => {
    const cut = { slug: "a", title: "Same", prompt: "many words", end: "error" };
    const [b, c] = ["b", "c"].map((slug) => ({ slug, title: "Same", prompt: "many words" })) as [Known, Known];
    expect((await nearest(contextOf([cut, c, b]), "many words")).map(([id]) => id)).toEqual([
      "legal/b",
      "legal/c",
      "legal/a",
    ]);
  });

  it("follow the catalogue as cassettes are added and removed", async () => {
    const known: Known[] = [lease];
    const context = contextOf(known);
    expect(await nearest(context, "review an agreement")).toEqual([]);
    known.push(nda);
    expect(await nearest(context, "review an agreement")).toEqual([["legal/nda", 1]]);
    known.shift();
    expect(await nearest(context, "the lease")).toEqual([]);
  });
});
