import { type CassetteSummary, type Catalogue, cassettesOfSite, type Vertical } from "#lib/replay/cassettes/index";
import { LiveIndex, SiteIndexes } from "./live-index";
import { queryTerms } from "./terms";

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

/**
 * Returns the id of the site's cassette whose prompt is nearest by BM25. Ties, and prompts that match nothing, go to a
 * complete cassette, then to the first id. Returns undefined if the site has no cassettes.
 */
export async function findNearestCassette(context: SiteContext, prompt: string): Promise<string | undefined> {
  const read = () => cassettesOfSite(context);
  const nearest = await promptIndexes.indexOf(context).use(read, (index) => index.rank(queryTerms(prompt), 1)[0]?.item);
  return (nearest ?? (await read()).sort(compare)[0])?.id;
}
