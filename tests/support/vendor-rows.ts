import { randomUUID } from "node:crypto";
import { v7 } from "uuid";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { dayMs } from "#lib/platform/time";
import { findVendorsToFetch, storeFetch } from "#lib/tracking/ingestion/index";
import type { NewReport } from "#lib/tracking/intelligence/store";
import { prepareVersion, readSnapshotText } from "#lib/tracking/snapshots/index";
import { storedCategory, type VendorCategory, type VendorStatus } from "#lib/tracking/vendors/index";

let idCount = 0;

/** Returns ids that sort as if they had been created at a time, after all earlier ones of that time. */
export function idsAt(at: Date): Ids {
  return { next: () => v7({ msecs: at.getTime(), seq: idCount++ }) };
}

export type VendorRow = {
  slug?: string;
  name?: string;
  domain?: string;
  category?: VendorCategory;
  status?: VendorStatus;
  isPublic?: boolean;
  accountId?: string | null;
  reader?: "openapi" | "model_dates" | "model_prices";
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
      id: idsAt(at).next(),
      name: `Vendor ${slug}`,
      origin: "operator",
      nextFetchAt: at,
      createdAt: at,
      llmsTxtUrl: `https://${domain}/llms.txt`,
      slug,
      domain,
      ...rest,
      category: storedCategory(category),
    },
  });
}

/** Stores the next version of a vendor's file with its diff, as fetched at a time. Its next fetch stays due as it was. */
export async function addVersion(database: Database, slug: string, text: string, at: Date = new Date()) {
  const [vendor] = await findVendorsToFetch(database, [slug]);
  if (!vendor) throw new Error(`There is no vendor ${slug}.`);
  const { domain, latestSnapshotId: snapshotId } = vendor;
  const previous = snapshotId === null ? null : { snapshotId, text: await readSnapshotText(database, snapshotId) };
  const version = await prepareVersion({ text, domain, previous });
  const ids = idsAt(at);
  const measurements = { httpStatus: 200, requestCount: 1, responseTimeMs: 12, byteSize: version.byteSize };
  const stored = await storeFetch(
    { database, ids },
    {
      vendor,
      version,
      runId: ids.next(),
      isAnalysed: false,
      record: { at, outcome: "changed", failure: null, detail: null, ...measurements },
      next: { ...vendor, reason: null },
      validators: { etag: null, lastModified: null },
    },
  );
  if (!stored) throw new Error("The version was not stored.");
  return stored;
}

/** Adds a vendor with versions of its file, each fetched at its time. Returns what was stored of each. */
export async function addHistory(database: Database, row: VendorRow, versions: readonly (readonly [string, Date])[]) {
  const { slug } = await addVendor(database, row);
  const stored: Awaited<ReturnType<typeof addVersion>>[] = [];
  for (const [text, at] of versions) stored.push(await addVersion(database, slug, text, at));
  return stored;
}

/** The time in tests of the history that a tier includes. */
export const now = new Date("2026-11-21T12:00:00.000Z");
export const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
export const clockAtNow = { ...systemClock, now: () => now };

type ReportRow = Partial<Omit<NewReport, "significance" | "categories">> & { vendorId: string } & {
  significance?: number;
  categories?: readonly string[];
};

/** Returns a report of a vendor. Missing columns are made up; without `diffId` it is about no change. */
export function reportRow({ createdAt = new Date(), ...given }: ReportRow): NewReport {
  const lists = { keyQuotes: [], sectionsAdded: [], sectionsRemoved: [], sectionsModified: [] };
  const origin = { mode: "realtime", analyser: "rules", analyserVersion: "test", createdAt };
  const subject = { diffId: null, snapshotId: null, summary: "A change.", significance: 3, categories: ["api-change"] };
  return { id: idsAt(createdAt).next(), ...subject, ...lists, ...origin, byteSizeChangePct: 1, ...given } as NewReport;
}
