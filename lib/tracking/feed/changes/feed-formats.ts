import { escapeMarkup } from "#lib/platform/escape-markup";
import type { JsonFeed } from "../schemas";
import type { ChangeFilters } from "./query";
import {
  type ChangeFeed,
  type ChangeFeedContext,
  type DescribedChange,
  readSiteChanges,
  readVendorChanges,
} from "./read-changes";

function element(name: string, text: string, type?: "text" | "html"): string {
  return `<${name}${type ? ` type="${type}"` : ""}>${escapeMarkup(text)}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${escapeMarkup(href)}"/>`;
}

function entry(change: DescribedChange): string {
  const { id, title, url, fileUrl, diffUrl, summary, html, categories, at, updatedAt } = change;
  const lines = [
    element("id", id),
    element("title", title),
    link("alternate", "text/html", url),
    link("related", "application/json", diffUrl),
    link("via", "text/plain", fileUrl),
    element("published", at.toISOString()),
    element("updated", updatedAt.toISOString()),
    ...categories.map((category) => `<category term="${escapeMarkup(category)}"/>`),
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

/** A feed's XML, and the time of its newest change or report: null before the first change. */
type AtomFeed = { text: string; changedAt: Date | null };

type FeedInput = { query: ChangeFilters };

/** Returns the newest changes that match the filters as Atom. */
export async function getAtomFeed(context: ChangeFeedContext, { query }: FeedInput): Promise<AtomFeed> {
  const feed = await readSiteChanges(context, { path: "/feed.xml", filters: query });
  return { text: writeAtom(feed), changedAt: feed.changedAt };
}

/** Returns the newest changes of one vendor as Atom. Throws AppError not_found. */
export async function getVendorAtomFeed(
  context: ChangeFeedContext,
  { params: { slug } }: { params: { slug: string } },
): Promise<AtomFeed> {
  const feed = await readVendorChanges(context, { slug, file: "feed.xml" });
  return { text: writeAtom(feed), changedAt: feed.changedAt };
}

function toItem(change: DescribedChange): JsonFeed["items"][number] {
  const { id, title, url, fileUrl, diffUrl, summary, html, categories, significance, at, updatedAt } = change;
  return {
    id,
    url,
    external_url: fileUrl,
    title,
    summary,
    content_html: html,
    tags: categories,
    date_published: at.toISOString(),
    date_modified: updatedAt.toISOString(),
    _tapedeck: { diff_url: diffUrl, significance },
  };
}

/** A feed as JSON Feed 1.1, and the time of its newest change or report: null before the first change. */
type DatedJsonFeed = { feed: JsonFeed; changedAt: Date | null };

function toJsonFeed({ title, subtitle, url, homeUrl, author, changedAt, changes }: ChangeFeed): DatedJsonFeed {
  const feed: JsonFeed = {
    version: "https://jsonfeed.org/version/1.1",
    title,
    description: subtitle,
    home_page_url: homeUrl,
    feed_url: url,
    authors: [{ name: author, url: new URL("/", homeUrl).href }],
    language: "en",
    items: changes.map(toItem),
  };
  return { feed, changedAt };
}

/** Returns the newest changes that match the filters as JSON Feed. */
export async function getJsonFeed(context: ChangeFeedContext, { query }: FeedInput): Promise<DatedJsonFeed> {
  return toJsonFeed(await readSiteChanges(context, { path: "/feed.json", filters: query }));
}

/** Returns the newest changes of one vendor as JSON Feed. Throws AppError not_found. */
export async function getVendorJsonFeed(
  context: ChangeFeedContext,
  { params: { slug } }: { params: { slug: string } },
): Promise<DatedJsonFeed> {
  return toJsonFeed(await readVendorChanges(context, { slug, file: "feed.json" }));
}
