import { findLinks } from "#lib/tracking/diffs/index";
import { maxReadLineLength, nameOf, plainOf, tagLinksOf } from "#lib/tracking/wording/index";

/** A link with its title; the title is empty for a bare URL without text before it. */
export type TitledLink = { title: string; target: string };

const markdownLink = /(?<!!)\[([^[\]]{0,300})\]\(\s{0,4}<?((?:[^()\s<>]|\([^()\s<>]*\)){1,2048})/g;

export const isRelative = (target: string) => !/^[a-z][a-z0-9+.-]*:/i.test(target) && !target.startsWith("#");

/** Returns the markdown links of a line, otherwise those of its tags, otherwise its bare URLs, the first titled by the text before it. */
export function findLineLinks(line: string): TitledLink[] {
  const text = line.slice(0, maxReadLineLength);
  const links = [...text.matchAll(markdownLink)].map(([, title, target]) => ({ title: title!, target: target! }));
  const found = links.length > 0 ? links : tagLinksOf(text);
  if (found.length > 0) return found.map(({ title, target }) => ({ title: nameOf(title), target }));
  const targets = text.includes("://") ? [...findLinks(text)] : [];
  const lead = nameOf(plainOf(text.slice(0, text.indexOf(targets[0] ?? "")))).replace(/\s*[:–—-]$/, "");
  // Text that ends within an attribute or a link that began on another line is no title.
  const title = lead.length <= 60 && !/[=("'{]$/.test(lead) ? lead : "";
  return targets.map((target, index) => ({ title: index === 0 ? title : "", target }));
}

/** Returns a key that is equal for URLs of one page: without scheme, `www.`, file extension and punctuation. */
export const addressKey = (target: string) =>
  target
    .replace(/^https?:\/\/(?:www\.)?/i, "")
    .replace(/[?#].*$/s, "")
    .replace(/(?:\/index)?(?:\.(?:mdx?|html?|txt))?\/*$/i, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/]+/gu, "");

/** Returns the last two names of a URL and its fragment, by which moved pages can be recognized; or "". */
export function tailKey(target: string): string {
  const fragment = target.includes("#") ? target.slice(target.indexOf("#")) : "";
  const all = addressKey(target).split("/").filter(Boolean);
  const names = all.slice(/^https?:/i.test(target) ? 1 : 0);
  return names.length < 2 ? "" : `${names.slice(-2).join("/")}${fragment}`.toLowerCase();
}

const relativeLink = /\]\(<?(?![a-z][a-z0-9+.-]{0,30}:|#)[^)\s<>]{1,2048}/gi;

export const countLinks = (text: string) => findLinks(text).size + new Set(text.match(relativeLink)).size;
