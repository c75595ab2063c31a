import type { Catalogue } from "./catalogue";
import type { CassetteSummary } from "./describe-cassette";
import type { CassetteEntry, CassetteListing, Vertical } from "./schemas";

type ListingContext = { catalogue: Catalogue; origin: string; site: { slug: string; vertical: Vertical } };

/** Address that replays a cassette. */
export function replayUrl(origin: string, id: string): string {
  return `${origin}/api/v1/replay/${id}`;
}

function toEntry(summary: CassetteSummary, origin: string): CassetteEntry {
  const { id, slug, vertical, title, subtitle, model } = summary;
  return {
    slug,
    vertical,
    title,
    subtitle,
    model,
    cassette_path: `${id}.json`,
    replay_url: replayUrl(origin, id),
    tokens_per_replay: 0,
  };
}

/** What the catalogue holds of the site's own vertical, by slug. */
export async function cassettesOfSite({
  catalogue,
  site,
}: {
  catalogue: Catalogue;
  site: { vertical: Vertical };
}): Promise<CassetteSummary[]> {
  return (await catalogue.list()).filter(({ vertical }) => vertical === site.vertical);
}

/** The listing of the site's cassettes. */
export async function listCassettes(context: ListingContext): Promise<CassetteListing> {
  const { origin, site } = context;
  const own = await cassettesOfSite(context);
  return {
    site: site.slug,
    vertical: site.vertical,
    host: new URL(origin).host,
    count: own.length,
    cassettes: own.map((summary) => toEntry(summary, origin)),
  };
}
