import type { Database } from "#lib/platform/database/index";
import { unknownVendor } from "#lib/tracking/diffs/index";
import { getVendor } from "../get-vendor";
import type { VendorAnswer } from "../schemas";
import { findLastChanges, findPageFacts, type ShownFinding, type VendorChange } from "./store";

type Snapshot = VendorAnswer["snapshots"][number] & {
  /** When the version was first seen; `fetched_at` is when it was last seen. */
  firstSeenAt: Date;
};
type Diff = VendorAnswer["diffs"][number] & Pick<VendorChange, "significance">;

/** What a vendor's page shows everybody: its detail as the API has it, and what lies around it. */
export type VendorPage = {
  vendor: VendorAnswer["vendor"] & {
    /** Whether the free tier covers it. */
    isPublic: boolean;
    trackedSince: Date;
    lastFetchedAt: Date | null;
    /** Since when it has its status; null where that never changed. */
    statusSince: Date | null;
  };
  /** The last ones, newest first. */
  snapshots: Snapshot[];
  diffs: Diff[];
  changes: VendorChange[];
  /** How many there are of each, older ones included. */
  counts: { snapshots: number; diffs: number };
  /** What the security detectors found in the latest version, the gravest first. */
  findings: ShownFinding[];
};

/** A vendor's page. Throws AppError not_found, also for vendors of an account. */
export async function getVendorPage({ database }: { database: Database }, slug: string): Promise<VendorPage> {
  const [answer, facts] = await Promise.all([
    getVendor({ database }, { params: { slug } }),
    findPageFacts(database, slug),
  ]);
  if (!facts) throw unknownVendor(slug);
  const { id, isPublic, createdAt, lastFetchedAt, statusSince, counts, findings, firstSeenAt } = facts;
  const changes = await findLastChanges(database, [id]);
  const significanceOf = new Map(changes.map((change) => [change.id, change.significance]));
  return {
    vendor: { ...answer.vendor, isPublic, trackedSince: createdAt, lastFetchedAt, statusSince },
    snapshots: answer.snapshots.map((snapshot) => {
      return { ...snapshot, firstSeenAt: firstSeenAt.get(snapshot.id) ?? new Date(snapshot.fetched_at) };
    }),
    diffs: answer.diffs.map((diff) => ({ ...diff, significance: significanceOf.get(diff.id) ?? null })),
    changes,
    counts,
    findings,
  };
}
