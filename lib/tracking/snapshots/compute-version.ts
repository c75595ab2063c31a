import { createHash } from "node:crypto";
import { compressText } from "#lib/platform/compress-text";
import { compareTexts, countLines, findLinks, type TextComparison } from "#lib/tracking/diffs/index";
import { type Finding, scoreSecurity } from "./security/score-security";

type Compressed = Uint8Array<ArrayBuffer>;

/** The difference between two versions, with its text as it is stored. */
type PreparedDiff = Omit<TextComparison, "moved"> & { compressedText: Compressed };

/** A version with everything that is computed before it is stored. */
export type PreparedVersion = {
  contentHash: string;
  byteSize: number;
  compressedContent: Compressed;
  lineCount: number;
  linkCount: number;
  securityScore: number;
  securityFindings: Finding[];
  /** The previous version, and the diff to it; null for a vendor's first version. */
  previousSnapshotId: string | null;
  diff: PreparedDiff | null;
};

/** Returns the SHA-256 of a text's UTF-8 bytes, in hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

async function prepareDiff(before: string, after: string): Promise<PreparedDiff> {
  const { moved: _moved, ...comparison } = compareTexts(before, after);
  return { ...comparison, compressedText: await compressText(comparison.text) };
}

/** A text to be stored as the next version. */
export type NewVersion = {
  text: string;
  /** The vendor's domain. */
  domain: string;
  previous: { snapshotId: string; text: string } | null;
};

/** Computes everything that is stored for a new version, in the calling thread. */
export async function computeVersion({ text, domain, previous }: NewVersion): Promise<PreparedVersion> {
  const { score, findings } = scoreSecurity(text, { domain });
  return {
    contentHash: hashText(text),
    byteSize: Buffer.byteLength(text, "utf8"),
    compressedContent: await compressText(text),
    lineCount: countLines(text),
    linkCount: findLinks(text).size,
    securityScore: score,
    securityFindings: findings,
    previousSnapshotId: previous?.snapshotId ?? null,
    diff: previous && (await prepareDiff(previous.text, text)),
  };
}
