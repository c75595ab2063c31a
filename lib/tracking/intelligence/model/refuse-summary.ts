import { scoreSecurity } from "#lib/tracking/snapshots/index";
import type { Change } from "../analysis";
import { addressText, dottedNamesOf, looksLikeHost } from "./addresses";

/** Letters and digits alone, in small letters. */
const bare = (text: string) =>
  addressText(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether a name is foreign to a change: not in its texts, or a host that came with it and is not the vendor's. */
function isForeign(name: string, { before, after, domain }: Change): boolean {
  if (name === domain || name.endsWith(`.${domain}`) || name === "llms.txt" || name === "llms-full.txt") return false;
  if (before !== null && addressText(before).includes(name)) return false;
  return looksLikeHost(name) || !addressText(after).includes(name);
}

/** Whether a word of the summary stands in what it is about. */
function isAbout(summary: string, texts: readonly string[]): boolean {
  const words = summary.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const known = texts.map((text) => text.toLowerCase());
  return words.some((word) => known.some((text) => text.includes(word)));
}

/**
 * Why a summary is not to be published, in a few words; null where nothing speaks against it. An answer that obeyed
 * the text which it was to describe gives itself away by the fence, by addresses that are not the vendor's, by words
 * that order readers or models about, by being that text's own words, or by having nothing to do with the change.
 */
export function refuseSummary(
  summary: string,
  { change, boundary, rulesSummary }: { change: Change; boundary: string; rulesSummary: string },
): string | null {
  const { after, name, domain, comparison } = change;
  if (summary.includes(boundary) || /<\/?data-/i.test(summary)) return "fence";
  if (dottedNamesOf(summary).some((address) => isForeign(address, change))) return "foreign address";
  if (scoreSecurity(summary, { domain }).score > 0) return "instruction";
  if (bare(after).includes(bare(summary))) return "the text's own words";
  if (!isAbout(summary, [comparison?.text ?? "", name, rulesSummary])) return "off the subject";
  return null;
}
