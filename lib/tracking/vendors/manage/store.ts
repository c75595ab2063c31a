import * as z from "zod";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Prisma, Vendor, VendorOrigin } from "#prisma/generated/client";
import { categoryOf, storedCategory, type VendorStatus } from "../schemas";
import type { VendorInput } from "./schemas";

/** The stored columns that an input determines. */
type VendorColumns = Pick<
  Vendor,
  "name" | "domain" | "category" | "llmsTxtUrl" | "llmsFullTxtUrl" | "reader" | "isPublic" | "accountId"
>;

function columnsOf(input: VendorInput): VendorColumns {
  const { name, domain, category, llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl } = input;
  const { public: isPublic, account_id: accountId, reader } = input;
  const urls = { llmsTxtUrl, llmsFullTxtUrl };
  return { name, domain, category: storedCategory(category), ...urls, reader, isPublic, accountId };
}

export type WrittenVendors = { added: string[]; updated: string[]; unchanged: string[] };

type WriteOptions = {
  origin: VendorOrigin;
  /** Whether vendors of other origins are left unchanged. */
  keepsOthers: boolean;
  now: Date;
  ids: Ids;
};

const transactionTimes = { maxWait: 10_000, timeout: 60_000 };

/**
 * Stores vendors by slug, all or none. A vendor with a new URL is due at once and fetched unconditionally. One that is
 * stored like this already keeps its origin.
 */
export async function writeVendors(
  client: Database,
  inputs: readonly VendorInput[],
  { origin, keepsOthers, now, ids }: WriteOptions,
): Promise<WrittenVendors> {
  return client.$transaction(async (transaction) => {
    const slugs = inputs.map(({ slug }) => slug);
    const rows = await transaction.vendor.findMany({ where: { slug: { in: slugs } } });
    const rowOf = new Map(rows.map((row) => [row.slug, row]));
    const written: WrittenVendors = { added: [], updated: [], unchanged: [] };
    const added: Prisma.VendorCreateManyInput[] = [];
    for (const input of inputs) {
      const { slug } = input;
      const row = rowOf.get(slug);
      const columns = columnsOf(input);
      if (!row) {
        added.push({ id: ids.next(), slug, ...columns, origin, nextFetchAt: now, createdAt: now });
        written.added.push(slug);
      } else if (isSame(row, columns) || (keepsOthers && row.origin !== origin)) written.unchanged.push(slug);
      else {
        await updateVendor(transaction, row, { ...columns, origin }, now);
        written.updated.push(slug);
      }
    }
    // Two instances that start at the same time may both find a vendor missing.
    await transaction.vendor.createMany({ data: added, skipDuplicates: keepsOthers });
    return written;
  }, transactionTimes);
}

/** Stores a new vendor added by an operator. Returns false if its slug is taken. */
export async function insertVendor(
  client: Database,
  input: VendorInput,
  { now, ids }: { now: Date; ids: Ids },
): Promise<boolean> {
  const times = { nextFetchAt: now, createdAt: now };
  const row = { id: ids.next(), slug: input.slug, ...columnsOf(input), origin: "operator" as const, ...times };
  const { count } = await client.vendor.createMany({ data: [row], skipDuplicates: true });
  return count === 1;
}

/** Deletes a vendor with its history. */
export async function deleteVendor(client: Database, slug: string): Promise<void> {
  await client.vendor.deleteMany({ where: { slug } });
}

function isSame(row: VendorColumns, columns: VendorColumns): boolean {
  return (Object.keys(columns) as (keyof VendorColumns)[]).every((name) => row[name] === columns[name]);
}

async function updateVendor(
  transaction: Transaction,
  row: { id: string; llmsTxtUrl: string },
  columns: VendorColumns & { origin: VendorOrigin },
  now: Date,
): Promise<void> {
  const hasNewUrl = row.llmsTxtUrl !== columns.llmsTxtUrl;
  const reset = { etag: null, lastModified: null, nextFetchAt: now };
  await transaction.vendor.update({ where: { id: row.id }, data: { ...columns, ...(hasNewUrl && reset) } });
}

/** Returns vendors with all their columns, by slug. */
export async function findVendors(client: Database, where: { slug?: string; status?: VendorStatus } = {}) {
  const rows = await client.vendor.findMany({
    where,
    orderBy: { slug: "asc" },
    omit: { snapshotCount: true, snapshotBytes: true },
    include: { latestSnapshot: { select: { createdAt: true, byteSize: true, securityScore: true } } },
  });
  return rows.map(({ category, ...row }) => ({ ...row, category: categoryOf(category) }));
}
export type OperatorVendor = Awaited<ReturnType<typeof findVendors>>[number];

const findingsSchema = z.array(
  z.object({ detector: z.string(), points: z.number(), line: z.number(), excerpt: z.string() }),
);

/** Returns the security findings of a vendor's latest version. */
async function findFindings(client: Database, vendorId: string) {
  const latest = await client.snapshot.findFirst({
    where: { latestOf: { id: vendorId } },
    select: { securityFindings: true },
  });
  return findingsSchema.parse(latest?.securityFindings ?? []);
}

/** Returns a vendor's fetches and status changes, newest first, and the security findings of its latest version. */
export async function findHistory(client: Database, vendorId: string, limit: number) {
  const [securityFindings, fetches, statusChanges] = await Promise.all([
    findFindings(client, vendorId),
    client.fetch.findMany({ where: { vendorId }, orderBy: { id: "desc" }, take: limit }),
    client.vendorStatusChange.findMany({ where: { vendorId }, orderBy: { id: "desc" }, take: limit }),
  ]);
  return { securityFindings, fetches, statusChanges };
}

type StatusChange = { slug: string; to: "active" | "paused"; from: readonly VendorStatus[]; reason: string; now: Date };

/** Changes a vendor's status and records the change. Returns false if its status is not in `from`. */
export async function writeStatus(
  client: Database,
  ids: Ids,
  { slug, to, from, reason, now }: StatusChange,
): Promise<boolean> {
  return client.$transaction(async (transaction) => {
    const vendor = await transaction.vendor.findFirst({ where: { slug, status: { in: [...from] } } });
    if (!vendor) return false;
    const reset = { failureCount: 0, failingSince: null, nextFetchAt: now };
    const data = { status: to, pausedWithTier: false, ...(to === "active" && reset) };
    const { count } = await transaction.vendor.updateMany({ where: { id: vendor.id, status: vendor.status }, data });
    if (count === 0) return false;
    const change = { id: ids.next(), vendorId: vendor.id, from: vendor.status, to, reason, createdAt: now };
    await transaction.vendorStatusChange.create({ data: change, select: { id: true } });
    return true;
  });
}
