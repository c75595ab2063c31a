import { z } from "zod";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { categoryOf, storedCategory } from "../category";
import type { VendorStatus } from "../schemas";
import type { VendorInput } from "./vendor-input";

export type VendorOrigin = "catalogue" | "sample" | "operator";

/** What of a vendor is given, as it is stored. */
type VendorColumns = {
  name: string;
  domain: string;
  category: ReturnType<typeof storedCategory>;
  llmsTxtUrl: string;
  llmsFullTxtUrl: string | null;
  isPublic: boolean;
  accountId: string | null;
  origin: VendorOrigin;
};

function columnsOf({ slug: _slug, ...input }: VendorInput, origin: VendorOrigin): VendorColumns {
  const { name, domain, category, llms_txt_url: llmsTxtUrl, llms_full_txt_url: llmsFullTxtUrl } = input;
  const { public: isPublic, account_id: accountId } = input;
  return { name, domain, category: storedCategory(category), llmsTxtUrl, llmsFullTxtUrl, isPublic, accountId, origin };
}

export type WrittenVendors = { added: string[]; updated: string[]; unchanged: string[] };

type WriteOptions = {
  origin: VendorOrigin;
  /** Vendors of other origins keep what they have. */
  keepsOthers: boolean;
  now: Date;
  ids: Ids;
};

const transactionTimes = { maxWait: 10_000, timeout: 60_000 };

/** Stores vendors by their slugs, all or none. One whose address changes is due at once, and asked for anew. */
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
    const added: (VendorColumns & { id: string; slug: string; nextFetchAt: Date; createdAt: Date })[] = [];
    for (const input of inputs) {
      const { slug } = input;
      const row = rowOf.get(slug);
      const columns = columnsOf(input, origin);
      if (!row) {
        added.push({ id: ids.next(), slug, ...columns, nextFetchAt: now, createdAt: now });
        written.added.push(slug);
      } else if (isSame(row, columns) || (keepsOthers && row.origin !== origin)) written.unchanged.push(slug);
      else {
        await updateVendor(transaction, row, columns, now);
        written.updated.push(slug);
      }
    }
    // Two that start at once may both find a vendor missing.
    await transaction.vendor.createMany({ data: added, skipDuplicates: keepsOthers });
    return written;
  }, transactionTimes);
}

/** Stores a new vendor of an operator's; false where its slug is taken. */
export async function insertVendor(
  client: Database,
  input: VendorInput,
  { now, ids }: { now: Date; ids: Ids },
): Promise<boolean> {
  const row = { id: ids.next(), slug: input.slug, ...columnsOf(input, "operator"), nextFetchAt: now, createdAt: now };
  const { count } = await client.vendor.createMany({ data: [row], skipDuplicates: true });
  return count === 1;
}

function isSame(row: VendorColumns, columns: VendorColumns): boolean {
  return (Object.keys(columns) as (keyof VendorColumns)[]).every((name) => row[name] === columns[name]);
}

async function updateVendor(
  transaction: Transaction,
  row: { id: string; llmsTxtUrl: string },
  columns: VendorColumns,
  now: Date,
): Promise<void> {
  const hasMoved = row.llmsTxtUrl !== columns.llmsTxtUrl;
  const anew = { etag: null, lastModified: null, nextFetchAt: now };
  await transaction.vendor.update({ where: { id: row.id }, data: { ...columns, ...(hasMoved && anew) } });
}

/** A vendor as operators see it. */
export async function findVendors(client: Database, where: { slug?: string; status?: VendorStatus } = {}) {
  const rows = await client.vendor.findMany({
    where,
    orderBy: { slug: "asc" },
    include: { latestSnapshot: { select: { createdAt: true, byteSize: true, securityScore: true } } },
  });
  return rows.map(({ category, ...row }) => ({ ...row, category: categoryOf(category) }));
}
export type OperatorVendor = Awaited<ReturnType<typeof findVendors>>[number];

const findingsSchema = z.array(
  z.object({ detector: z.string(), points: z.number(), line: z.number(), excerpt: z.string() }),
);

/** What the detectors found in a vendor's latest version. */
async function findFindings(client: Database, vendorId: string) {
  const latest = await client.snapshot.findFirst({
    where: { latestOf: { id: vendorId } },
    select: { securityFindings: true },
  });
  return findingsSchema.parse(latest?.securityFindings ?? []);
}

/** Fetches and status changes of a vendor, the newest first, and what the detectors found in its latest version. */
export async function findHistory(client: Database, vendorId: string, limit: number) {
  const [securityFindings, fetches, statusChanges] = await Promise.all([
    findFindings(client, vendorId),
    client.fetch.findMany({ where: { vendorId }, orderBy: { id: "desc" }, take: limit }),
    client.vendorStatusChange.findMany({ where: { vendorId }, orderBy: { id: "desc" }, take: limit }),
  ]);
  return { securityFindings, fetches, statusChanges };
}

type StatusChange = { slug: string; to: "active" | "paused"; from: readonly VendorStatus[]; reason: string; now: Date };

/** Gives a vendor a status with a record of it; false where it has none of the statuses before. */
export async function writeStatus(
  client: Database,
  ids: Ids,
  { slug, to, from, reason, now }: StatusChange,
): Promise<boolean> {
  return client.$transaction(async (transaction) => {
    const vendor = await transaction.vendor.findFirst({ where: { slug, status: { in: [...from] } } });
    if (!vendor) return false;
    const anew = { failureCount: 0, failingSince: null, nextFetchAt: now };
    const data = { status: to, ...(to === "active" && anew) };
    const { count } = await transaction.vendor.updateMany({ where: { id: vendor.id, status: vendor.status }, data });
    if (count === 0) return false;
    const change = { id: ids.next(), vendorId: vendor.id, from: vendor.status, to, reason, createdAt: now };
    await transaction.vendorStatusChange.create({ data: change, select: { id: true } });
    return true;
  });
}
