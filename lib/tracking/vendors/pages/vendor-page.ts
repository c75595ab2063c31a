import { findOperationsIn, type OperationChangeItem, toOperationChange } from "#lib/tracking/operations/index";
import { ownAccountOf, vendorNotFound } from "#lib/tracking/vendor-access/index";
import { getVendor, type ReadContext } from "../read-vendors";
import type { VendorAnswer } from "../schemas";
import { findPageFacts, findRecentChanges, type ShownFinding, type VendorChange } from "../store";

type Snapshot = VendorAnswer["snapshots"][number] & {
  /** When the version was first fetched; `fetched_at` is when it was last fetched. */
  firstSeenAt: Date;
};
type Diff = VendorAnswer["diffs"][number] & Pick<VendorChange, "significance">;

/** Content of a vendor's page: its API detail and some more. */
export type VendorPage = {
  vendor: VendorAnswer["vendor"] & {
    /** Whether the free tier covers it. */
    isPublic: boolean;
    /** Whether it belongs to the account of the caller, who alone sees it. */
    isOwn: boolean;
    /** Whether it is made up, with a file and a history that come with Tapedeck. */
    isSample: boolean;
    trackedSince: Date;
    lastFetchedAt: Date | null;
    /** Time of the last status change; null if there was none. */
    statusSince: Date | null;
  };
  /** The latest ones, newest first. */
  snapshots: Snapshot[];
  diffs: Diff[];
  changes: VendorChange[];
  /** Totals, including older ones. */
  counts: { snapshots: number; diffs: number };
  /** Security findings in the latest version, the most severe first. */
  findings: ShownFinding[];
  /** Of an OpenAPI document: the latest changes of operations, newest first. */
  operations: OperationChangeItem[];
};

/** Most changes of operations on the page. */
const maxOperationCount = 20;

/** Returns the content of the page of a vendor that the caller sees. Throws AppError not_found. */
export async function getVendorPage({ caller, database }: ReadContext, slug: string): Promise<VendorPage> {
  const [answer, facts] = await Promise.all([
    getVendor({ caller, database }, { params: { slug } }),
    findPageFacts(database, slug, ownAccountOf(caller)),
  ]);
  if (!facts) throw vendorNotFound(slug);
  const { id, accountId, isPublic, origin, createdAt, lastFetchedAt, statusSince, counts, findings, firstSeenAt } =
    facts;
  const changes = await findRecentChanges(database, [id]);
  const operations = await findOperationsIn(
    database,
    changes.map((change) => change.id),
    { limit: maxOperationCount },
  );
  const newest = operations.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, maxOperationCount);
  const significanceOf = new Map(changes.map((change) => [change.id, change.significance]));
  return {
    vendor: {
      ...answer.vendor,
      isPublic,
      isOwn: accountId !== null,
      isSample: origin === "sample",
      trackedSince: createdAt,
      lastFetchedAt,
      statusSince,
    },
    snapshots: answer.snapshots.map((snapshot) => {
      return { ...snapshot, firstSeenAt: firstSeenAt.get(snapshot.id) ?? new Date(snapshot.fetched_at) };
    }),
    diffs: answer.diffs.map((diff) => ({ ...diff, significance: significanceOf.get(diff.id) ?? null })),
    changes,
    counts,
    findings,
    operations: newest.map(toOperationChange),
  };
}
