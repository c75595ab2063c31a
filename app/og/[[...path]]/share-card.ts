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

/** The card of the site. Its timeline is also used for pages without one. */
async function siteCard({ catalogue, site }: CardContext): Promise<ShareCard> {
  const first = (await catalogue.list()).find(({ vertical, end }) => vertical === site.vertical && end === "complete");
  const recording = first && (await catalogue.recording(first.id));
  const timeline = first && recording ? { ticks: toTicks(recording), durationMs: first.durationMs } : empty;
  return { title: "Test your streaming code against replayed LLM responses.", lead: site.tagline, ...timeline };
}

/** Returns the card of a page by its path, such as `docs/replay` or `vendors/stripe/diffs/<id>`. */
export async function describeShare(context: CardContext, path: readonly string[]): Promise<ShareCard> {
  const [section, first = "", second = ""] = path;
  const cards: Record<string, () => Promise<ShareCard | null>> = {
    replay: () => cassetteCard(context, `${first}/${second}`),
    embed: () => cassetteCard(context, `${first}/${second}`),
    docs: () => docsCard(path.slice(1).join("/")),
    vendors: async () => (first === "" ? null : vendorCard(context, first)),
  };
  const card = await cards[section ?? ""]?.();
  if (card && card.ticks.length > 0) return card;
  const fallback = await siteCard(context);
  if (!card) return fallback;
  const { ticks, durationMs } = fallback;
  return { ...card, ...(ticks.length > 0 && { ticks, durationMs }) };
}
