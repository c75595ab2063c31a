import type { Database } from "#lib/platform/database/index";
import type { Site } from "#lib/replay/sites/index";
import { vendorNotFound } from "#lib/tracking/vendor-access/index";
import { type Change, findChanges, findFollowedVendor } from "./store";

/** Characters that XML 1.0 forbids even escaped: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Includes white space, because parsers replace it with spaces in attributes and drop carriage returns. */
const references: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Escapes a text for an element or attribute of XML or HTML, and removes characters that XML forbids. */
export function escapeMarkup(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"'\t\n\r]/g, (character) => references[character] as string);
}

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
  category: string;
  at: Date;
};

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

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

/** Returns a change with its summary and with its links as HTML, in which all vendor text is escaped. */
export function describeChange(change: Change, origin: string): DescribedChange {
  const lines = formatCounts(change.linesAdded, change.linesRemoved, "line") || "changed";
  const links = formatCounts(change.linkCountAdded, change.linkCountRemoved, "link");
  const summary = `${links ? `${lines}; ${links}` : lines}.`;
  return {
    id: `urn:uuid:${change.id}`,
    title: `${change.name}: ${lines}`,
    url: `${origin}/vendors/${change.slug}/diffs/${change.id}`,
    fileUrl: change.llmsTxtUrl,
    diffUrl: `${origin}/api/v1/diffs/${change.id}`,
    summary,
    html: [
      `<p>${escapeMarkup(summary)}</p>`,
      linkList("Links added", change.linksAdded, change.linkCountAdded),
      linkList("Links removed", change.linksRemoved, change.linkCountRemoved),
    ].join(""),
    category: change.category,
    at: change.createdAt,
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
  /** Time of the newest change; a fixed time before the first change. */
  updatedAt: Date;
  /** Time of the newest change; null before the first change. */
  changedAt: Date | null;
  /** Newest first. */
  changes: DescribedChange[];
};

export type ChangeFeedContext = { database: Database; origin: string; site: Site; buildDate: string };

type FeedHead = Pick<ChangeFeed, "title" | "subtitle" | "url"> & { vendorId: string | null; emptySince: Date };

async function readChanges(
  context: ChangeFeedContext,
  { vendorId, emptySince, ...head }: FeedHead,
): Promise<ChangeFeed> {
  const { database, origin, site } = context;
  const found = await findChanges(database, vendorId);
  const changedAt = found[0]?.createdAt ?? null;
  const changes = found.map((change) => describeChange(change, origin));
  const shared = { homeUrl: `${origin}/`, author: site.display_name };
  return { ...head, ...shared, updatedAt: changedAt ?? emptySince, changedAt, changes };
}

/** Returns the newest changes of all public vendors. `path` is the path of the feed. */
export function readSiteChanges(context: ChangeFeedContext, path: string): Promise<ChangeFeed> {
  const { origin, site, buildDate } = context;
  return readChanges(context, {
    title: `${site.display_name}: changes`,
    subtitle: "Changes to the llms.txt files of the public vendors.",
    url: `${origin}${path}`,
    vendorId: null,
    emptySince: new Date(buildDate),
  });
}

/** Returns the newest changes of one vendor. Throws AppError not_found. */
export async function readVendorChanges(context: ChangeFeedContext, slug: string): Promise<ChangeFeed> {
  const vendor = await findFollowedVendor(context.database, slug);
  if (!vendor) throw vendorNotFound(slug);
  return readChanges(context, {
    title: `${vendor.name}: changes`,
    subtitle: `Changes to the llms.txt file of ${vendor.domain}.`,
    url: `${context.origin}/vendors/${vendor.slug}/feed.xml`,
    vendorId: vendor.id,
    emptySince: vendor.createdAt,
  });
}
