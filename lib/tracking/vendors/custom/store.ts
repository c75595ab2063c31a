import { type AccountTier, plans } from "#lib/accounts/plans/index";
import type { Database } from "#lib/platform/database/index";
import type { Vendor } from "#prisma/generated/client";
import { categoryOf, storedCategory, type VendorCategory } from "../schemas";

export type FoundVendor = Omit<Vendor, "category"> & { category: VendorCategory };

const toFound = ({ category, ...row }: Vendor): FoundVendor => ({ ...row, category: categoryOf(category) });

type UrlOf = { accountId: string; url: string; reader: "llms_txt" | "openapi" };

/** Returns the vendor of a URL, read alike, that an account owns, or else one that everybody sees and that is not paused. */
export async function findVendorOfUrl(
  client: Pick<Database, "vendor">,
  { accountId, url: llmsTxtUrl, reader }: UrlOf,
): Promise<FoundVendor | null> {
  const own = await client.vendor.findFirst({ where: { llmsTxtUrl, reader, accountId } });
  const isOpen = { llmsTxtUrl, reader, accountId: null, status: { not: "paused" } } as const;
  const found = own ?? (await client.vendor.findFirst({ where: isOpen, orderBy: { id: "asc" } }));
  return found && toFound(found);
}

type NewVendor = Pick<Vendor, "id" | "slug" | "name" | "domain" | "llmsTxtUrl"> & {
  category: VendorCategory;
  reader: UrlOf["reader"];
  at: Date;
};

export type Insertion = { vendor: FoundVendor; isNew: boolean } | "full" | "tier_ended" | "slug_taken";

/**
 * Stores a vendor of an account, and makes the vendor due that is fetched for its URL. Returns the existing vendor if there
 * is one of the URL. A lock on the account serializes its callers, and the end of its tier.
 */
export async function insertCustomVendor(
  client: Database,
  accountId: string,
  { at, category, ...vendor }: NewVendor,
  maxCount: number,
): Promise<Insertion> {
  const { id, llmsTxtUrl: url, reader } = vendor;
  return client.$transaction(async (transaction) => {
    const [account] = await transaction.$queryRaw<{ tier: AccountTier }[]>`
      SELECT tier FROM accounts WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
    if (!account || plans[account.tier].vendorAccess !== "all-plus-custom") return "tier_ended";
    const existing = await findVendorOfUrl(transaction, { accountId, url, reader });
    if (existing) return { vendor: existing, isNew: false };
    if ((await transaction.vendor.count({ where: { accountId } })) >= maxCount) return "full";
    const times = { nextFetchAt: at, createdAt: at };
    const row = { ...vendor, ...times, accountId, origin: "account" as const, category: storedCategory(category) };
    const { count } = await transaction.vendor.createMany({ data: [row], skipDuplicates: true });
    if (count === 0) return "slug_taken";
    await transaction.$executeRaw`
      UPDATE vendors SET next_fetch_at = ${at} WHERE next_fetch_at > ${at} AND id = (
        SELECT id FROM vendors WHERE llms_txt_url = ${url} AND reader::text = ${reader} AND status <> 'paused' AND origin <> 'sample'
        ORDER BY account_id IS NOT NULL, id LIMIT 1)`;
    const stored = await transaction.vendor.findUnique({ where: { id } });
    return stored ? { vendor: toFound(stored), isNew: true } : "slug_taken";
  });
}

/** Renames a vendor of an account. Returns null if the account has none with this slug. */
export async function renameCustomVendor(
  client: Database,
  accountId: string,
  { slug, name }: Pick<Vendor, "slug" | "name">,
): Promise<FoundVendor | null> {
  const [renamed] = await client.vendor.updateManyAndReturn({ where: { slug, accountId }, data: { name } });
  return renamed ? toFound(renamed) : null;
}

/** Deletes a vendor of an account with its history. Returns false if the account has none with this slug. */
export async function deleteCustomVendor(client: Database, accountId: string, slug: string): Promise<boolean> {
  return (await client.vendor.deleteMany({ where: { slug, accountId } })).count === 1;
}

export async function countCustomVendors(client: Database, accountId: string): Promise<number> {
  return client.vendor.count({ where: { accountId } });
}

/** Returns the vendors of an account, newest first, each with the failure of its last fetch and its latest change. */
export async function findCustomVendors(client: Database, accountId: string, limit: number) {
  const rows = await client.vendor.findMany({
    where: { accountId },
    include: {
      fetches: { select: { failure: true }, orderBy: { id: "desc" }, take: 1 },
      // Its links may be as large as the file.
      latestDiff: {
        select: {
          ...{ id: true, createdAt: true, linesAdded: true, linesRemoved: true },
          report: { select: { summary: true, significance: true } },
        },
      },
    },
    orderBy: { id: "desc" },
    take: limit,
  });
  return rows.map(({ fetches, latestDiff, ...row }) => ({
    ...toFound(row),
    failure: fetches[0]?.failure ?? null,
    latestChange: latestDiff,
  }));
}

/**
 * Returns when a worker or cron last started the job that fetches vendors; null if none did. Leaves out completed runs of
 * `tapedeck vendors fetch`: they fetch named vendors, so their summary has no `left`. Reads the latest 100 runs.
 */
export async function findLastFetchRun(client: Database): Promise<Date | null> {
  const [run] = await client.$queryRaw<{ startedAt: Date }[]>`
    SELECT started_at AS "startedAt"
    FROM (SELECT * FROM cron_runs WHERE job = 'fetch-vendors' ORDER BY id DESC LIMIT 100) runs
    WHERE status <> 'completed' OR summary ? 'left' ORDER BY id DESC LIMIT 1`;
  return run?.startedAt ?? null;
}
