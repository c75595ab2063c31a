import type { Caller } from "#lib/accounts/keys/index";
import { pageJsonText } from "#lib/contract/fit-json";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { isSeenBy } from "#lib/tracking/diffs/index";
import { neutraliseWrapper, wrapNeutralised } from "./neutralise-wrapper";
import { blockedScore, type SnapshotMeta } from "./schemas";
import { toSnapshotMeta } from "./snapshot-meta";
import { findLatestSnapshot, type LatestSnapshot } from "./store";
import { readSnapshotText } from "./versions/store";

type PartContext = { caller: Caller; database: Database };
type PartInput = {
  slug: string;
  /** `nextCursor` of the part before; null: from the beginning. */
  cursor: string | null;
  /** Most characters that the part takes as JSON. */
  maxLength: number;
};

/** A part of a vendor's latest content, and which kind of it the caller's tier reads. */
export type ContentPart = {
  kind: "sandboxed" | "raw";
  content: string;
  nextCursor: string | null;
  securityScore: number;
  metadata: SnapshotMeta;
};

async function requireLatest({ caller, database }: PartContext, slug: string): Promise<LatestSnapshot> {
  const vendor = await findLatestSnapshot(database, slug);
  if (!vendor || !isSeenBy(vendor, caller)) {
    throw new AppError("not_found", `There is no vendor "${slug}". Call search_vendors for the slugs.`);
  }
  if (vendor.latestSnapshot) return vendor.latestSnapshot;
  const message = `Nothing has been fetched of the vendor "${slug}" yet. Call list_vendors for those with a snapshot.`;
  throw new AppError("not_found", message);
}

function refuseBlocked(slug: string, score: number): void {
  if (score < blockedScore) return;
  const message = `The content of "${slug}" is withheld: its security score is ${score}, and from ${blockedScore} on content is not handed to models. Go on without it, or call search_vendors for another vendor.`;
  throw new AppError("forbidden", message);
}

/**
 * A part of the latest content of a vendor that the caller sees: raw where its tier has that, else sandboxed. All of
 * a sandboxed content is neutralised before it is parted, and each part has a wrapper of its own. Throws AppError
 * not_found, forbidden (a sandboxed content with a score of `blockedScore` or more) and bad_request (the cursor).
 */
export async function getContentPart(
  context: PartContext,
  { slug, cursor, maxLength }: PartInput,
): Promise<ContentPart> {
  const isRaw = context.caller.plan.apiAccess;
  const { id, securityScore, ...meta } = await requireLatest(context, slug);
  if (!isRaw) refuseBlocked(slug, securityScore);
  const text = await readSnapshotText(context.database, id);
  const page = pageJsonText(isRaw ? text : neutraliseWrapper(text), { cursor, maxLength });
  return {
    kind: isRaw ? "raw" : "sandboxed",
    content: isRaw ? page.text : wrapNeutralised(slug, page.text),
    nextCursor: page.nextCursor,
    securityScore,
    metadata: toSnapshotMeta(meta),
  };
}
