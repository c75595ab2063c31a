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
export type AtomFeed = { text: string; changedAt: Date | null };

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
