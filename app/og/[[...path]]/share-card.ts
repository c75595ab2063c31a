import * as z from "zod";
import { findPage } from "#lib/discovery/content/index";
import { AppError } from "#lib/platform/errors";
import type { ProductContext } from "#lib/server/products";
import { requirePageDiff } from "#lib/tracking/diffs/index";
import { getReportOfDiff } from "#lib/tracking/intelligence/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { getVendorPage, type VendorPage } from "#lib/tracking/vendors/index";
import { formatLineChanges } from "../../_components/format";
import { requireParams } from "../../_components/load-data";
import type { Tick } from "../../_components/timeline";
import { toTicks } from "../../_components/timeline-ticks";

/** Content of a share image. */
export type ShareCard = {
  title: string;
  lead: string;
  ticks: readonly Tick[];
  durationMs: number;
  /** Position of the needle; absent if it only decorates. */
  needleMs?: number;
};

/** Segments without control characters, encoded or not. */
const pathSchema = z.array(z.string().regex(/^(?!.*%(?:[01][0-9a-f]|7f))\P{Cc}*$/iu));

type CardContext = Pick<ProductContext, "caller" | "catalogue" | "site" | "database" | "clock">;

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

/** A vendor's changes as ticks, whose heights show the significance, from its first known version until now. */
function changeTimeline(
  { changes, snapshots }: Pick<VendorPage, "changes" | "snapshots">,
  now: Date,
): Pick<ShareCard, "ticks" | "durationMs"> {
  const times = [...changes.map(({ at }) => at), ...snapshots.map(({ firstSeenAt }) => firstSeenAt)];
  const startMs = Math.min(now.getTime(), ...times.map((at) => at.getTime()));
  const ticks = changes.map(({ at, significance }) => {
    return { atMs: at.getTime() - startMs, kind: "text" as const, level: (significance ?? 0.5) / 5 };
  });
  return { ticks, durationMs: Math.max(1, now.getTime() - startMs) };
}

async function vendorCard(context: CardContext, slug: string): Promise<ShareCard> {
  const page = await getVendorPage(context, slug);
  const [latest] = page.diffs;
  const change = latest && `${latest.lines_added} lines added, ${latest.lines_removed} removed on `;
  const lead = latest ? `${change}${latest.created_at.slice(0, 10)}` : `llms.txt of ${page.vendor.domain}`;
  const timeline = changeTimeline(page, context.clock.now());
  return { title: `${page.vendor.name}: what changed`, lead, ...timeline, needleMs: timeline.durationMs };
}

/** A change: the vendor's timeline, with the needle on the change. */
async function diffCard(context: CardContext, slug: string, id: string): Promise<ShareCard> {
  const [diff, page, report] = await Promise.all([
    requirePageDiff(context, { slug, id }),
    getVendorPage(context, slug),
    getReportOfDiff(context, id),
  ]);
  const { createdAt: at, linesAdded, linesRemoved, vendorName, vendorDomain } = diff;
  const own = { id, at, linesAdded, linesRemoved, significance: report?.significance ?? null };
  // The page has the latest changes alone.
  const changes = [own, ...page.changes.filter((change) => change.id !== id)];
  const timeline = changeTimeline({ ...page, changes }, context.clock.now());
  return {
    title: `${vendorName}: ${formatLineChanges(own)}`,
    lead: `${at.toISOString().slice(0, 10)}: ${report?.summary ?? `llms.txt of ${vendorDomain}`}`,
    ...timeline,
    needleMs: timeline.ticks[0]?.atMs ?? 0,
  };
}

/** Returns null for what does not exist. */
async function ifFound(card: Promise<ShareCard>): Promise<ShareCard | null> {
  try {
    return await card;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

const storyLead = "Record the model calls of your tests once. Hear when a vendor’s change makes your code stale.";

/** The card of the site. Its timeline is also used for pages without one. */
async function siteCard({ catalogue, site }: CardContext): Promise<ShareCard> {
  const first = (await catalogue.list()).find(({ vertical, end }) => vertical === site.vertical && end === "complete");
  const recording = first && (await catalogue.recording(first.id));
  const timeline = first && recording ? { ticks: toTicks(recording), durationMs: first.durationMs } : empty;
  return { title: site.tagline, lead: storyLead, ...timeline };
}

/**
 * Returns the card of a page by its path, such as `docs/replay` or `vendors/stripe/diffs/<id>`; that of the site for an
 * unknown one. Throws AppError not_found for control characters and a slug that no vendor can have, and service_unavailable.
 */
export async function describeShare(context: CardContext, path: readonly string[]): Promise<ShareCard> {
  requireParams(pathSchema, path);
  const [section, first = "", second = "", third = ""] = path;
  const cards: Record<string, () => Promise<ShareCard | null>> = {
    replay: () => cassetteCard(context, `${first}/${second}`),
    embed: () => cassetteCard(context, `${first}/${second}`),
    docs: () => docsCard(path.slice(1).join("/")),
    vendors: async () => {
      if (first === "") return null;
      const { slug } = requireParams(vendorParamsSchema, { slug: first });
      return ifFound(second === "diffs" ? diffCard(context, slug, third) : vendorCard(context, slug));
    },
  };
  const card = await cards[section ?? ""]?.();
  // A vendor without changes has an empty timeline, and not that of a cassette.
  if (card && (card.ticks.length > 0 || section === "vendors")) return card;
  const fallback = await siteCard(context);
  if (!card) return fallback;
  const { ticks, durationMs } = fallback;
  return { ...card, ...(ticks.length > 0 && { ticks, durationMs }) };
}
