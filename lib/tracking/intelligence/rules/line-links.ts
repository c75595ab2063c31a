import { linksOf } from "#lib/tracking/diffs/index";
import { maxReadLineLength, nameOf, plainOf } from "./plain-text";

/** A link with what names it; no title where nothing stands in front of a bare address. */
export type TitledLink = { title: string; target: string };

const markdownLink = /\[([^[\]]{0,300})\]\(\s{0,4}<?((?:[^()\s<>]|\([^()\s<>]*\)){1,2048})/g;
const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** Whether a link's target is another page, written without a host. */
export const isRelative = (target: string) => !scheme.test(target) && !target.startsWith("#");

/** The links of a line: those of markdown, else bare addresses, the first of which has the words in front of it as title. */
export function linksOfLine(line: string): TitledLink[] {
  const text = line.slice(0, maxReadLineLength);
  if (text.includes("](")) {
    const links = [...text.matchAll(markdownLink)];
    if (links.length > 0) return links.map(([, title, target]) => ({ title: nameOf(title!), target: target! }));
  }
  if (!text.includes("://")) return [];
  const targets = [...linksOf(text)];
  const lead = targets[0] ? nameOf(plainOf(text.slice(0, text.indexOf(targets[0])))).replace(/\s*[:–—-]$/, "") : "";
  const title = lead.length <= 60 ? lead : "";
  return targets.map((target, index) => ({ title: index === 0 ? title : "", target }));
}

/** What two titles have in common that are one. */
export const titleKey = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** What two addresses have in common that lead to one page: not the scheme, `www.`, file ending or marks between words. */
export function addressKey(target: string): string {
  const bare = target.replace(/^https?:\/\/(?:www\.)?/i, "").replace(/[?#].*$/s, "");
  return bare
    .replace(/\/+$/, "")
    .replace(/\.(?:mdx?|html?|txt)$/i, "")
    .replace(/\/index$/i, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/]+/gu, "");
}

const relativeLink = /\]\(<?(?![a-z][a-z0-9+.-]{0,30}:|#)[^)\s<>]{1,2048}/gi;

/** Different addresses that a text links to, relative ones of markdown links among them. */
export function countLinks(text: string): number {
  const relative = text.includes("](") ? new Set(text.match(relativeLink)) : new Set();
  return linksOf(text).size + relative.size;
}
