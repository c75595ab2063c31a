import type { Database } from "#lib/platform/database/index";
import type { Site } from "#lib/replay/sites/index";
import { vendorNotFound } from "#lib/tracking/vendor-access/index";
import { type Change, findChanges, findFollowedVendor } from "./store";

/** What XML 1.0 cannot hold, not even escaped: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** White space is escaped too: a parser would turn it into blanks in attributes, and drop a carriage return. */
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

/** A text as XML or HTML writes it, in an element or an attribute, without the characters that XML forbids. */
export function escapeMarkup(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"'\t\n\r]/g, (character) => references[character] as string);
}

/** A change as every kind of feed tells it. */
export type DescribedChange = {
  /** The same in every feed and for good. */
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

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `12 lines added, 3 removed`; empty where there are none. */
function tally(added: number, removed: number, noun: string): string {
  if (added === 0) return removed === 0 ? "" : `${counted(removed, noun)} removed`;
  return `${counted(added, noun)} added${removed === 0 ? "" : `, ${removed.toLocaleString("en")} removed`}`;
}

/** Texts of vendors become no address but that of a web page. */
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

/** Puts a change into words, and its links into HTML in which every text of the vendor is escaped. */
export function describeChange(change: Change, origin: string): DescribedChange {
  const lines = tally(change.linesAdded, change.linesRemoved, "line") || "changed";
  const links = tally(change.linkCountAdded, change.linkCountRemoved, "link");
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

/** A feed of changes before it is written as Atom or JSON. */
export type ChangeFeed = {
  title: string;
  subtitle: string;
  /** Its own address, which is also its id. */
  url: string;
  homeUrl: string;
  author: string;
  /** The newest change, before the first one a moment that does not move. */
  updatedAt: Date;
  /** The newest change; null before the first one. */
  changedAt: Date | null;
  /** The newest first. */
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

/** The newest changes of all public vendors. `path` is the feed's own. */
export function readSiteChanges(context: ChangeFeedContext, path: string): Promise<ChangeFeed> {
  const { origin, site, buildDate } = context;
  return readChanges(context, {
    title: `${site.display_name}: changes`,
    subtitle: "Changes of the llms.txt files of the public vendors.",
    url: `${origin}${path}`,
    vendorId: null,
    emptySince: new Date(buildDate),
  });
}

/** The newest changes of one vendor. Throws AppError not_found. */
export async function readVendorChanges(context: ChangeFeedContext, slug: string): Promise<ChangeFeed> {
  const vendor = await findFollowedVendor(context.database, slug);
  if (!vendor) throw vendorNotFound(slug);
  return readChanges(context, {
    title: `${vendor.name}: changes`,
    subtitle: `Changes of the llms.txt file of ${vendor.domain}.`,
    url: `${context.origin}/vendors/${vendor.slug}/feed.xml`,
    vendorId: vendor.id,
    emptySince: vendor.createdAt,
  });
}
