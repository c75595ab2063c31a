import { perObject } from "#lib/platform/per-object";
import {
  type CassetteSummary,
  type Catalogue,
  cassettesOfSite,
  isFirstTurn,
  type Vertical,
} from "#lib/replay/cassettes/index";
import { LiveIndex, SiteIndexes } from "./live-index";
import { queryTerms, termsOf } from "./terms";

type SiteContext = { catalogue: Catalogue; site: { vertical: Vertical } };

/** Complete cassettes first, then by id. */
function compare(a: CassetteSummary, b: CassetteSummary): number {
  const byEnd = Number(b.end === "complete") - Number(a.end === "complete");
  return byEnd || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Indexes of titles and prompts. */
const promptIndexes = new SiteIndexes<CassetteSummary>(
  () =>
    new LiveIndex({
      idOf: ({ id }) => id,
      partsOf: ({ title, prompt }) => ({ head: "", body: `${title}\n${prompt}` }),
      isSame: (a, b) => a.title === b.title && a.prompt === b.prompt && a.end === b.end,
      compare,
    }),
);

/** Most cassettes that are compared term by term. */
const maxComparedCount = 10;
/** With fewer terms in common, the score is lower: one common word says little. */
const enoughTerms = 2;

/**
 * Returns the share of the prompt's terms, weighted by how rare they are, that a cassette's title and prompt contain.
 * A term that no cassette contains weighs as much as the rarest one.
 */
function similarityOf(terms: readonly string[], known: ReadonlySet<string>, index: LiveIndex<CassetteSummary>): number {
  const rarest = Math.log(1 + (index.size + 0.5) / 0.5);
  let [total, common, commonCount] = [0, 0, 0];
  for (const term of terms) {
    const weight = index.inverseFrequency(term) || rarest;
    total += weight;
    if (!known.has(term)) continue;
    common += weight;
    commonCount += 1;
  }
  return total === 0 ? 0 : (common / total) * Math.min(1, commonCount / enoughTerms);
}

const termsOfCassette = perObject(({ title, prompt }: CassetteSummary) => new Set(termsOf(`${title}\n${prompt}`)));

/** Ranks are first computed to this number. Few requests need more, because few cassettes are of another provider. */
const firstRankCount = 3 * maxComparedCount;

/** Returns the best first turns of a provider, at most `maxComparedCount`. */
function rankFirstTurns(
  index: LiveIndex<CassetteSummary>,
  terms: ReadonlyMap<string, number>,
  provider: string,
): CassetteSummary[] {
  const isWanted = (item: CassetteSummary) =>
    item.provider === provider && isFirstTurn(item.match) && item.match.operation === "generate";
  const rank = (limit: number) => index.rank(terms, limit).map(({ item }) => item);
  const first = rank(firstRankCount);
  const wanted = first.filter(isWanted);
  const isEnough = wanted.length >= maxComparedCount || first.length < firstRankCount;
  return (isEnough ? wanted : rank(Number.POSITIVE_INFINITY).filter(isWanted)).slice(0, maxComparedCount);
}

/** A cassette with a similar prompt. `similarity` is from 0, nothing in common, to 1. */
export type NearCassette = { summary: CassetteSummary; similarity: number };

/** Returns the site's cassettes of a provider whose prompts are most similar, best first. */
export async function findNearestCassettes(
  context: SiteContext,
  { prompt, provider, limit }: { prompt: string; provider: string; limit: number },
): Promise<NearCassette[]> {
  const terms = queryTerms(prompt);
  const near = await promptIndexes.indexOf(context).use(
    () => cassettesOfSite(context),
    (index) =>
      rankFirstTurns(index, terms, provider).map((summary) => {
        const similarity = similarityOf([...terms.keys()], termsOfCassette(summary), index);
        return { summary, similarity };
      }),
  );
  return near.sort((a, b) => b.similarity - a.similarity).slice(0, limit);
}
