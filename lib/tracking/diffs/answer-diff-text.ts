import { explainBlocked } from "#lib/contract/blocked-content";
import { decompressText } from "#lib/platform/compress-text";
import { truncateDiffText } from "./shorten-diff-text";

/**
 * Returns the line that replaces a diff whose score, the higher one of its two versions, is `blockedScore` or more;
 * undefined for other diffs. It starts with a backslash, so that readers of unified diffs skip it.
 */
export function withheldDiffText(securityScore: number): string | undefined {
  const blocked = explainBlocked("The text of this diff", securityScore);
  return blocked && `\\ ${blocked}\n`;
}

/** Returns a diff's text for a response: withheld if its score requires that, otherwise truncated. */
export async function answerDiffText(compressedText: Uint8Array, securityScore: number): Promise<string> {
  return withheldDiffText(securityScore) ?? truncateDiffText(await decompressText(compressedText));
}
