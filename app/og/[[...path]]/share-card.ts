import { findPage } from "#lib/discovery/content/index";
import { AppError } from "#lib/platform/errors";
import type { RequestContext } from "#lib/server/http/context";
import { getVendor } from "#lib/tracking/vendors/index";
import type { Tick } from "../../_components/timeline";
import { toTicks } from "../../_components/timeline-ticks";

/** Content of a share image. */
export type ShareCard = {
  title: string;
  lead: string;
  ticks: readonly Tick[];
  durationMs: number;
};

type CardContext = Pick<RequestContext, "catalogue" | "site" | "database">;

const empty = { ticks: [], durationMs: 0 };

async function cassetteCard({ catalogue }: CardContext, id: string): Promise<ShareCard | null> {
  const [summary, recording] = await Promise.all([catalogue.find(id), catalogue.recording(id)]);
  if (!summary || !recording) return null;
  const { title, subtitle, durationMs } = summary;
  return { title, lead: subtitle, ticks: toTicks(recording), durationMs };
}

async function docsCard(slug: string): Promise<ShareCard | null> {
  const page = await findPage(slug);
  return page ? { title: page.title, lead: page.description, ...empty } : null;
}

async function vendorCard(context: CardContext, slug: string): Promise<ShareCard | null> {
  try {
    const { vendor, diffs } = await getVendor(context, { params: { slug } });
    const [latest] = diffs;
    const change = latest && `${latest.lines_added} lines added, ${latest.lines_removed} removed on `;
    const lead = latest ? `${change}${latest.created_at.slice(0, 10)}` : `llms.txt of ${vendor.domain}`;
    return { title: `${vendor.name}: what changed`, lead, ...empty };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

/** The site's own card. Its timeline is also used for pages without one. */
async function siteCard({ catalogue, site }: CardContext): Promise<ShareCard> {
  const own = (await catalogue.list()).find(({ vertical, end }) => vertical === site.vertical && end === "complete");
  const recording = own && (await catalogue.recording(own.id));
  const timeline = own && recording ? { ticks: toTicks(recording), durationMs: own.durationMs } : empty;
  return { title: "Test your streaming code against replayed LLM responses.", lead: site.tagline, ...timeline };
}

/** Returns the card of a page by its path, such as `docs/replay` or `vendors/stripe/diffs/<id>`. */
export async function describeShare(context: CardContext, path: readonly string[]): Promise<ShareCard> {
  const [section, first = "", second = ""] = path;
  const own: Record<string, () => Promise<ShareCard | null>> = {
    replay: () => cassetteCard(context, `${first}/${second}`),
    embed: () => cassetteCard(context, `${first}/${second}`),
    docs: () => docsCard(path.slice(1).join("/")),
    vendors: async () => (first === "" ? null : vendorCard(context, first)),
  };
  const fallback = await siteCard(context);
  const card = await own[section ?? ""]?.();
  return card
    ? { ...card, ...(card.ticks.length === 0 && fallback.ticks.length > 0 ? pickTimeline(fallback) : {}) }
    : fallback;
}

function pickTimeline({ ticks, durationMs }: ShareCard) {
  return { ticks, durationMs };
}
