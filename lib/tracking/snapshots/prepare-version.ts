import { createHash } from "node:crypto";
import { compressText } from "#lib/platform/compress-text";
import { compareTexts, countLines, linksOf } from "#lib/tracking/diffs/index";
import { type Finding, scoreSecurity } from "./security/score-security";

type Compressed = Uint8Array<ArrayBuffer>;

/** What is stored of the difference between two versions. */
export type PreparedDiff = {
  linesAdded: number;
  linesRemoved: number;
  linesMoved: number;
  linksAdded: string[];
  linksRemoved: string[];
  exact: boolean;
  compressedText: Compressed;
};

/** A version with everything that is worked out before it is stored. */
export type PreparedVersion = {
  contentHash: string;
  byteSize: number;
  compressedContent: Compressed;
  lineCount: number;
  linkCount: number;
  securityScore: number;
  securityFindings: Finding[];
  /** The version that it follows, and the way there; null for a vendor's first. */
  previousSnapshotId: string | null;
  diff: PreparedDiff | null;
};

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

async function prepareDiff(before: string, after: string): Promise<PreparedDiff> {
  const { linesAdded, linesRemoved, linesMoved, linksAdded, linksRemoved, exact, text } = compareTexts(before, after);
  const compressedText = await compressText(text);
  return { linesAdded, linesRemoved, linesMoved, linksAdded, linksRemoved, exact, compressedText };
}

type NewVersion = {
  text: string;
  /** The vendor's. */
  domain: string;
  previous: { snapshotId: string; text: string } | null;
};

/** Works out what is stored of a new version: counts, security score, and the diff to the version before. */
export async function prepareVersion({ text, domain, previous }: NewVersion): Promise<PreparedVersion> {
  const { score, findings } = scoreSecurity(text, { domain });
  return {
    contentHash: hashText(text),
    byteSize: Buffer.byteLength(text, "utf8"),
    compressedContent: await compressText(text),
    lineCount: countLines(text),
    linkCount: linksOf(text).size,
    securityScore: score,
    securityFindings: findings,
    previousSnapshotId: previous?.snapshotId ?? null,
    diff: previous && (await prepareDiff(previous.text, text)),
  };
}
