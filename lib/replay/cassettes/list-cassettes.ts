import * as z from "zod";
import { AppError } from "#lib/platform/errors";
import { perObject } from "#lib/platform/per-object";
import { providerNames } from "#lib/replay/providers/index";
import type { Catalogue } from "./catalogue";
import type { CassetteSummary } from "./describe-cassette";
import type { MatchIndex } from "./match-index";
import {
  type CassetteEntry,
  type CassetteListing,
  listedVerticalSchema,
  type Vertical,
  verticalSchema,
  verticals,
} from "./schemas";

export const listingQuerySchema = z.object({
  vertical: listedVerticalSchema
    .optional()
    .describe("Vertical, another folder of the store, or `all`; default: the site's own."),
  protocol: z
    .enum(providerNames)
    .optional()
    .meta({ description: "Only cassettes of this protocol.", examples: ["anthropic"] }),
});

type ListingQuery = z.infer<typeof listingQuerySchema>;
type ListingContext = { catalogue: Catalogue; origin: string; site: { slug: string; vertical: Vertical } };

export function replayUrl(origin: string, id: string): string {
  return `${origin}/api/v1/replay/${id}`;
}

export function downloadUrl(origin: string, id: string): string {
  return `${origin}/api/v1/cassettes/${id}`;
}

/** Returns what a listing tells of a cassette's place in its conversation, and of the request that plays it. */
export function describeUse(index: MatchIndex, summary: CassetteSummary) {
  const { id, provider, path, end, tools, match } = summary;
  const request = { method: "POST" as const, path, model: match.model };
  return { protocol: provider, end, turn: index.turnOf(summary), turns: index.conversation(id).length, tools, request };
}

function toEntry(summary: CassetteSummary, origin: string, index: MatchIndex): CassetteEntry {
  const { id, slug, vertical, title, subtitle, model, provenance, durationMs, chunkCount, byteSize } = summary;
  return {
    slug,
    vertical,
    title,
    subtitle,
    model,
    cassette_path: `${id}.json`,
    replay_url: replayUrl(origin, id),
    tokens_per_replay: 0,
    ...describeUse(index, summary),
    provenance: provenance.kind,
    duration_ms: Math.round(durationMs),
    chunk_count: chunkCount,
    byte_size: byteSize,
  };
}

/** Lists by folder, for each list of a catalogue. */
const listsOf = perObject((_all: readonly CassetteSummary[]) => new Map<string, readonly CassetteSummary[]>());

const isVertical = (folder: string) => verticalSchema.safeParse(folder).success;

/**
 * Returns the cassettes of a folder or of all, ordered by id. Of a store that has no vertical, such as somebody's tapes, each
 * vertical has all. Throws AppError bad_request for a folder that is not there.
 */
async function cassettesOf(catalogue: Catalogue, wanted: string): Promise<readonly CassetteSummary[]> {
  const all = await catalogue.list();
  if (wanted === "all") return all;
  const lists = listsOf(all);
  const known = lists.get(wanted);
  if (known) return known;
  const isWhole = isVertical(wanted) && !all.some(({ vertical }) => isVertical(vertical));
  const list = isWhole ? all : all.filter(({ vertical }) => vertical === wanted);
  if (list.length === 0 && !isVertical(wanted)) {
    const message = `vertical: must be ${verticals.join(", ")}, all, or another folder that has cassettes.`;
    throw new AppError("bad_request", message);
  }
  lists.set(wanted, list);
  return list;
}

/** Returns the cassettes that a site lists. It is the same array until the catalogue is reloaded. */
export function cassettesOfSite({
  catalogue,
  site,
}: {
  catalogue: Catalogue;
  site: { vertical: Vertical };
}): Promise<readonly CassetteSummary[]> {
  return cassettesOf(catalogue, site.vertical);
}

/** Returns the site's first complete cassette, as an example; without a complete one, its first. */
export async function findExampleCassette(
  context: Parameters<typeof cassettesOfSite>[0],
): Promise<CassetteSummary | undefined> {
  const summaries = await cassettesOfSite(context);
  return summaries.find(({ end, status }) => end === "complete" && status === 200) ?? summaries[0];
}

/** Returns the cassettes of a folder or of all, by default of the site's, and of a protocol, by default of all. Throws AppError. */
export async function selectCassettes(
  { catalogue, site }: Pick<ListingContext, "catalogue"> & { site: { vertical: Vertical } },
  { vertical = site.vertical, protocol }: ListingQuery,
): Promise<readonly CassetteSummary[]> {
  const all = await cassettesOf(catalogue, vertical);
  return protocol === undefined ? all : all.filter(({ provider }) => provider === protocol);
}

/** Lists the cassettes that the filters select. */
export async function listCassettes(
  context: ListingContext,
  { query }: { query: ListingQuery },
): Promise<CassetteListing> {
  const { catalogue, origin, site } = context;
  const cassettes = await selectCassettes(context, query);
  const index = await catalogue.matchIndex();
  return {
    site: site.slug,
    vertical: query.vertical ?? site.vertical,
    host: new URL(origin).host,
    count: cassettes.length,
    cassettes: cassettes.map((summary) => toEntry(summary, origin, index)),
  };
}

/** Returns the cassettes before and after one in its folder, ordered by slug. */
export async function findAdjacentCassettes(
  { catalogue }: { catalogue: Catalogue },
  { id, vertical }: Pick<CassetteSummary, "id" | "vertical">,
): Promise<{ previous: CassetteSummary | undefined; next: CassetteSummary | undefined }> {
  const list = (await catalogue.list()).filter((summary) => summary.vertical === vertical);
  const index = list.findIndex((summary) => summary.id === id);
  return { previous: index > 0 ? list[index - 1] : undefined, next: index < 0 ? undefined : list[index + 1] };
}
