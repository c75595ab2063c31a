import { createHash } from "node:crypto";
import { compressText } from "#lib/platform/compress-text";
import { defaultWorkerLimits, minWorkerLength, runInWorker } from "#lib/platform/run-worker";
import { type ComputedDiff, computeDiff, countLines, findLinks } from "#lib/tracking/diffs/index";
import { type Finding, scoreSecurity } from "#lib/tracking/security/index";

const entry = { name: "version-worker", moduleUrl: import.meta.url };

/**
 * Computes everything that is stored for a new version: counts, security score, and the diff to the previous version.
 * Large texts would block the thread for up to seconds, so they are handled in a worker thread, one at a time. Throws
 * WorkerError for a text that needs more time or memory than the limits allow.
 */
export async function prepareVersion(version: NewVersion, limits = defaultWorkerLimits): Promise<PreparedVersion> {
  if (version.text.length + (version.previous?.text.length ?? 0) < minWorkerLength) {
    return computeVersion(version);
  }
  return runInWorker<PreparedVersion>(entry, version, limits);
}

/** A version with everything that is computed before it is stored. */
export type PreparedVersion = {
  contentHash: string;
  byteSize: number;
  compressedContent: Uint8Array<ArrayBuffer>;
  lineCount: number;
  linkCount: number;
  securityScore: number;
  securityFindings: Finding[];
  /** The previous version, and the diff to it; null for a vendor's first version. */
  previousSnapshotId: string | null;
  diff: ComputedDiff | null;
};

/** Returns the SHA-256 of a text's UTF-8 bytes, in hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
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
    diff: previous && (await computeDiff(previous.text, text)),
  };
}
