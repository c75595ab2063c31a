import { escapeMarkup } from "./escape-markup";
import type { Change } from "./store";

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
