import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { unknownVendor } from "#lib/tracking/diffs/index";
import { wrapContent } from "./neutralise-wrapper";
import { noSnapshot } from "./no-snapshot";
import { blockedScore } from "./schemas";
import { findLatestSnapshot } from "./store";
import { readSnapshotText } from "./versions/store";

/** A vendor's content in its wrapper, and the headers that go with it. */
export type SandboxedContent = { text: string; headers: Record<string, string> };

/**
 * The latest content of a vendor, wrapped for a model. Throws AppError not_found, also for vendors of an account, and
 * forbidden where the content's score is `blockedScore` or more.
 */
export async function getSandboxedContent(
  { database }: { database: Database },
  { params: { slug } }: { params: { slug: string } },
): Promise<SandboxedContent> {
  const vendor = await findLatestSnapshot(database, slug);
  if (!vendor || vendor.accountId !== null) throw unknownVendor(slug);
  const { latestSnapshot } = vendor;
  if (!latestSnapshot) throw noSnapshot(slug);
  const { id, securityScore } = latestSnapshot;
  const headers = { "X-Content-Security-Score": String(securityScore) };
  if (securityScore >= blockedScore) {
    const message = `The content of "${slug}" is withheld: its security score is ${securityScore}, and from ${blockedScore} on content is not handed to models.`;
    throw new AppError("forbidden", message, { headers });
  }
  return { text: wrapContent(slug, await readSnapshotText(database, id)), headers };
}
