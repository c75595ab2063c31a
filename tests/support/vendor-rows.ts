import { randomUUID } from "node:crypto";
import { v7 } from "uuid";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { insertVersion, prepareVersion, readSnapshotText } from "#lib/tracking/snapshots/index";
import { storedCategory, type VendorCategory, type VendorStatus } from "#lib/tracking/vendors/index";

/** Returns ids that sort as if they had been created at a time. */
export function idsAt(at: Date): Ids {
  let seq = 0;
  return { next: () => v7({ msecs: at.getTime(), seq: seq++ }) };
}

export type VendorRow = {
  slug?: string;
  name?: string;
  domain?: string;
  category?: VendorCategory;
  status?: VendorStatus;
  isPublic?: boolean;
  accountId?: string | null;
  llmsTxtUrl?: string;
  llmsFullTxtUrl?: string | null;
  at?: Date;
};

/** Adds a vendor without a snapshot. Missing columns are made up, with a unique slug. */
export async function addVendor(database: Database, given: VendorRow = {}) {
  const { category = "database", at = new Date(), slug = `v-${randomUUID()}`, ...rest } = given;
  const domain = given.domain ?? `${slug}.example.com`;
  return database.vendor.create({
    data: {
      ...{ id: idsAt(at).next(), name: `Vendor ${slug}`, origin: "operator", nextFetchAt: at, createdAt: at },
      ...{ llmsTxtUrl: `https://${domain}/llms.txt`, slug, domain, ...rest },
      category: storedCategory(category),
    },
  });
}

/** Stores the next version of a vendor's file with its diff, as the ingestion does, as fetched at a time. */
export async function addVersion(database: Database, slug: string, text: string, at: Date = new Date()) {
  const vendor = await database.vendor.findUniqueOrThrow({ where: { slug } });
  const { id: vendorId, domain, latestSnapshotId } = vendor;
  const previous = latestSnapshotId && {
    snapshotId: latestSnapshotId,
    text: await readSnapshotText(database, latestSnapshotId),
  };
  const version = await prepareVersion({ text, domain, previous: previous || null });
  return database.$transaction(async (transaction) => {
    const origin = { vendorId, at, httpStatus: 200, responseTimeMs: 12 };
    const stored = await insertVersion(transaction, version, origin, idsAt(at));
    const { snapshotId, diffId } = stored;
    const data = { latestSnapshotId: snapshotId, latestDiffId: diffId, lastFetchedAt: at };
    await transaction.vendor.update({ where: { id: vendorId }, data });
    return stored;
  });
}
