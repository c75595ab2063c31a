import type { JsonFeed } from "../schemas";
import {
  type ChangeFeed,
  type ChangeFeedContext,
  type DescribedChange,
  escapeMarkup,
  readSiteChanges,
  readVendorChanges,
} from "./read-changes";

function element(name: string, text: string, type?: "text" | "html"): string {
  return `<${name}${type ? ` type="${type}"` : ""}>${escapeMarkup(text)}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${escapeMarkup(href)}"/>`;
}

function entry({ id, title, url, fileUrl, diffUrl, summary, html, category, at }: DescribedChange): string {
  const lines = [
    element("id", id),
    element("title", title),
    link("alternate", "text/html", url),
    link("related", "application/json", diffUrl),
    link("via", "text/plain", fileUrl),
    element("published", at.toISOString()),
    element("updated", at.toISOString()),
    `<category term="${escapeMarkup(category)}"/>`,
    element("summary", summary, "text"),
    element("content", html, "html"),
  ];
  return `  <entry>\n${lines.map((line) => `    ${line}\n`).join("")}  </entry>\n`;
}

/** Returns a feed as Atom 1.0 (RFC 4287). */
export function writeAtom({ title, subtitle, url, homeUrl, author, updatedAt, changes }: ChangeFeed): string {
  const lines = [
    element("id", url),
    element("title", title),
    element("subtitle", subtitle),
    link("self", "application/atom+xml", url),
    link("alternate", "text/html", homeUrl),
    `<author>${element("name", author)}</author>`,
    element("updated", updatedAt.toISOString()),
  ];
  const head = lines.map((line) => `  ${line}\n`).join("");
  return `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n${head}${changes.map(entry).join("")}</feed>\n`;
}

/** A feed's XML, and the time of its newest change: null before the first change. */
type AtomFeed = { text: string; changedAt: Date | null };

/** Returns the newest changes of all public vendors as Atom. */
export async function getAtomFeed(context: ChangeFeedContext): Promise<AtomFeed> {
  const feed = await readSiteChanges(context, "/feed.xml");
  return { text: writeAtom(feed), changedAt: feed.changedAt };
}

/** Returns the newest changes of one vendor as Atom. Throws AppError not_found. */
export async function getVendorAtomFeed(
  context: ChangeFeedContext,
  { params: { slug } }: { params: { slug: string } },
): Promise<AtomFeed> {
  const feed = await readVendorChanges(context, slug);
  return { text: writeAtom(feed), changedAt: feed.changedAt };
}

function toItem({
  id,
  title,
  url,
  fileUrl,
  diffUrl,
  summary,
  html,
  category,
  at,
}: DescribedChange): JsonFeed["items"][number] {
  return {
    ...{ id, url, external_url: fileUrl, title, summary, content_html: html, tags: [category] },
    ...{ date_published: at.toISOString(), date_modified: at.toISOString() },
    _tapedeck: { diff_url: diffUrl },
  };
}

/** Returns the newest changes of all public vendors as JSON Feed 1.1, and the time of the newest one, or null. */
export async function getJsonFeed(context: ChangeFeedContext): Promise<{ feed: JsonFeed; changedAt: Date | null }> {
  const { title, subtitle, url, homeUrl, author, changedAt, changes } = await readSiteChanges(context, "/feed.json");
  const feed: JsonFeed = {
    version: "https://jsonfeed.org/version/1.1",
    ...{ title, description: subtitle, home_page_url: homeUrl, feed_url: url },
    authors: [{ name: author, url: homeUrl }],
    language: "en",
    items: changes.map(toItem),
  };
  return { feed, changedAt };
}
