import { shorten } from "#lib/contract/fit-json";
import type { Site } from "#lib/contract/sites";
import { escapeMarkup } from "#lib/platform/escape-markup";
import { formatCount } from "#lib/platform/format-count";
import { vendorNotFound } from "#lib/tracking/vendor-access/index";
import type { Change, ChangeSelection } from "../store";
import { findFollowedVendors } from "../store-vendors";
import { type ChangesContext, findNamedVendors, requireKnown, selectChanges } from "./list-changes";
import { type ChangeFilters, changesHref, changesQuerySchema } from "./query";

/** Most changes in a feed. */
const maxChangeCount = 50;
/** Most changes in the feed of one vendor: as many as its detail shows publicly. */
const maxVendorChangeCount = 10;
/** Longest summary in the title of an entry, in characters. */
const maxTitleSummaryLength = 200;

/** A change in the form that all feed formats share. */
export type DescribedChange = {
  /** The same in every feed, and permanent. */
  id: string;
  title: string;
  /** The change's page. */
  url: string;
  /** The vendor's file. */
  fileUrl: string;
  /** The change in the API. */
  diffUrl: string;
  summary: string;
  html: string;
  /** The vendor's category, and those of the report. */
  categories: string[];
  /** 1 to 5; null before the report is written. */
  significance: number | null;
  at: Date;
  /** When the report was written, which is part of the entry; without one, the time of the change. */
  updatedAt: Date;
};

/** Returns `12 lines added, 3 removed`; empty if there are none. */
function formatCounts(added: number, removed: number, noun: string): string {
  if (added === 0) return removed === 0 ? "" : `${formatCount(removed, noun)} removed`;
  return `${formatCount(added, noun)} added${removed === 0 ? "" : `, ${removed.toLocaleString("en")} removed`}`;
}

/** Only http(s) URLs become hyperlinks, because the text is the vendor's. */
function linkItem(link: string): string {
  const text = escapeMarkup(link);
  return /^https?:\/\//i.test(link)
    ? `<li><a href="${text}" rel="nofollow noreferrer">${text}</a></li>`
    : `<li>${text}</li>`;
}

function linkList(title: string, links: readonly string[], count: number): string {
  if (count === 0) return "";
  const more = count > links.length ? `<li>and ${(count - links.length).toLocaleString("en")} more</li>` : "";
  return `<h4>${title}</h4><ul>${links.map(linkItem).join("")}${more}</ul>`;
}

/** Returns a change with its report, its counts, and its links as HTML, in which all vendor text is escaped. */
export function describeChange(change: Change, origin: string): DescribedChange {
  const lines = formatCounts(change.linesAdded, change.linesRemoved, "line") || "changed";
  const links = formatCounts(change.linkCountAdded, change.linkCountRemoved, "link");
  const counts = `${links ? `${lines}; ${links}` : lines}.`;
  const { name, slug, id, createdAt, reportedAt, significance, summary, categories } = change;
  const level = significance === null ? "" : `${significance} of 5`;
  const text = summary === null ? lines : shorten(summary, maxTitleSummaryLength);
  const paragraphs = [
    summary,
    level && `Significance ${level}${categories ? `: ${categories.join(", ")}` : ""}.`,
    counts,
  ].filter(Boolean) as string[];
  return {
    id: `urn:uuid:${id}`,
    title: `${name}${level && ` (significance ${level})`}: ${text}`,
    url: `${origin}/vendors/${slug}/diffs/${id}`,
    fileUrl: change.llmsTxtUrl,
    diffUrl: `${origin}/api/v1/diffs/${id}`,
    summary: paragraphs.join(" "),
    html: [
      ...paragraphs.map((paragraph) => `<p>${escapeMarkup(paragraph)}</p>`),
      linkList("Links added", change.linksAdded, change.linkCountAdded),
      linkList("Links removed", change.linksRemoved, change.linkCountRemoved),
    ].join(""),
    categories: [change.category, ...(categories ?? [])],
    significance,
    at: createdAt,
    updatedAt: reportedAt !== null && reportedAt > createdAt ? reportedAt : createdAt,
  };
}

/** A feed of changes, independent of its format. */
export type ChangeFeed = {
  title: string;
  subtitle: string;
  /** The feed's own URL, which is also its id. */
  url: string;
  homeUrl: string;
  author: string;
  /** Time of the newest change or report; a fixed time before the first change. */
  updatedAt: Date;
  /** Time of the newest change or report; null before the first change. */
  changedAt: Date | null;
  /** Newest first. */
  changes: DescribedChange[];
};

export type ChangeFeedContext = ChangesContext & { origin: string; site: Site; buildDate: string };

type FeedHead = Pick<ChangeFeed, "title" | "subtitle" | "url" | "homeUrl"> & {
  selection: Omit<ChangeSelection, "accountId">;
  emptySince: Date;
};

async function readChanges(
  context: ChangeFeedContext,
  { selection, emptySince, ...head }: FeedHead,
): Promise<ChangeFeed> {
  const { origin, site } = context;
  const found = await selectChanges(context, selection);
  const changes = found.map((change) => describeChange(change, origin));
  const changedMs = changes.map(({ updatedAt }) => updatedAt.getTime());
  const changedAt = changedMs.length === 0 ? null : new Date(Math.max(...changedMs));
  return { ...head, author: site.display_name, updatedAt: changedAt ?? emptySince, changedAt, changes };
}

/** Returns the filters for a title, such as ` (vendor quarrydb, significance 3 or more)`; empty if there are none. */
export function titleOfFilters({
  vendor,
  models,
  operations,
  category,
  min_significance: least,
  from,
  to,
}: ChangeFilters): string {
  const parts = [
    vendor && `vendor ${shorten(vendor, maxTitleSummaryLength)}`,
    models && `models ${shorten(models, maxTitleSummaryLength)}`,
    operations && `operations ${shorten(operations, maxTitleSummaryLength)}`,
    category && `category ${category}`,
    least > 1 && (least === 5 ? "significance 5" : `significance ${least} or more`),
    from && `from ${from}`,
    to && `to ${to}`,
  ].filter(Boolean);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** Returns the newest changes that match the filters. `path` is the path of the feed. Throws AppError bad_request. */
export async function readSiteChanges(
  context: ChangeFeedContext,
  { path, filters }: { path: string; filters: ChangeFilters },
): Promise<ChangeFeed> {
  const { origin, site, buildDate } = context;
  const filtered = changesHref("", filters);
  const feed = await readChanges(context, {
    title: `${site.display_name}: changes${titleOfFilters(filters)}`,
    subtitle: `Changes to the llms.txt files and OpenAPI documents of the tracked vendors, and of models${filtered && `, filtered by ${filtered.slice(1)}`}.`,
    url: `${origin}${path}${filtered}`,
    homeUrl: `${origin}/changes${filtered}`,
    selection: { filters, limit: maxChangeCount },
    emptySince: new Date(buildDate),
  });
  requireKnown((await findNamedVendors(context, filters)).unknown);
  return feed;
}

/** The files of a vendor's feeds, below the vendor's page. */
type VendorFeedFile = "feed.xml" | "feed.json";

/** Returns the newest changes of one vendor, whose page is the home of the feed. Throws AppError not_found. */
export async function readVendorChanges(
  context: ChangeFeedContext,
  { slug, file }: { slug: string; file: VendorFeedFile },
): Promise<ChangeFeed> {
  const [vendor] = await findFollowedVendors(context.database, [slug]);
  if (!vendor) throw vendorNotFound(slug);
  const homeUrl = `${context.origin}/vendors/${vendor.slug}`;
  return readChanges(context, {
    title: `${vendor.name}: changes`,
    subtitle: `Changes to the tracked file of ${vendor.domain}.`,
    url: `${homeUrl}/${file}`,
    homeUrl,
    selection: { filters: changesQuerySchema.parse({ vendor: slug }), limit: maxVendorChangeCount },
    emptySince: vendor.createdAt,
  });
}
