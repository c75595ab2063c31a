import { type CassetteSummary, type Catalogue, cassettesOfSite, type Vertical } from "#lib/replay/cassettes/index";
import { LiveIndex } from "./live-index";
import { queryTerms } from "./terms";

type SiteContext = { catalogue: Catalogue; site: { vertical: Vertical } };

/** Complete cassettes first, then by id. */
function compare(a: CassetteSummary, b: CassetteSummary): number {
  const byEnd = Number(b.end === "complete") - Number(a.end === "complete");
  return byEnd || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** One index of titles and prompts for each vertical of a catalogue. */
const indexes = new WeakMap<Catalogue, Map<Vertical, LiveIndex<CassetteSummary>>>();

function promptIndex({ catalogue, site }: SiteContext): LiveIndex<CassetteSummary> {
  const byVertical = indexes.get(catalogue) ?? new Map<Vertical, LiveIndex<CassetteSummary>>();
  indexes.set(catalogue, byVertical);
  const known = byVertical.get(site.vertical);
  if (known) return known;
  const index = new LiveIndex<CassetteSummary>({
    idOf: ({ id }) => id,
    partsOf: ({ title, prompt }) => ({ head: "", body: `${title}\n${prompt}` }),
    isSame: (a, b) => a.title === b.title && a.prompt === b.prompt && a.end === b.end,
    compare,
  });
  byVertical.set(site.vertical, index);
  return index;
}

/**
 * Returns the id of the site's cassette whose prompt is nearest by BM25. Ties, and prompts that match nothing, go to a
 * complete cassette, then to the first id. Returns undefined if the site has no cassettes.
 */
export async function findNearestCassette(context: SiteContext, prompt: string): Promise<string | undefined> {
  const read = () => cassettesOfSite(context);
  const nearest = await promptIndex(context).use(read, (index) => index.rank(queryTerms(prompt), 1)[0]?.item);
  return (nearest ?? (await read()).sort(compare)[0])?.id;
}
