import * as z from "zod";
import type { Database } from "#lib/platform/database/index";
import type { SnapshotRow } from "#lib/tracking/snapshots/index";
import { visibleTo } from "#lib/tracking/vendor-access/index";
import { Prisma } from "#prisma/generated/client";

/** A version of a vendor's file, without its content. */
export type VersionRow = SnapshotRow & {
  /** When it was first fetched. */
  createdAt: Date;
  /** When the next version was first fetched; null for the latest version. */
  replacedAt: Date | null;
};

const versionColumns = Prisma.sql`s.id, s.content_hash AS "contentHash", s.byte_size AS "byteSize",
  s.line_count AS "lineCount", s.link_count AS "linkCount", s.created_at AS "createdAt", s.fetched_at AS "fetchedAt",
  s.http_status AS "httpStatus", s.response_time_ms AS "responseTimeMs", s.security_score AS "securityScore",
  (SELECT n.created_at FROM snapshots n WHERE n.vendor_id = s.vendor_id AND n.id > s.id ORDER BY n.id LIMIT 1)
    AS "replacedAt"`;

/** Returns a vendor's versions with an id smaller than `before`, newest first. */
export async function findVersions(
  client: Database,
  { vendorId, limit, before }: { vendorId: string; limit: number; before?: string | undefined },
): Promise<VersionRow[]> {
  const last = before ?? "ffffffff-ffff-ffff-ffff-ffffffffffff";
  return client.$queryRaw<VersionRow[]>(Prisma.sql`
    SELECT ${versionColumns} FROM snapshots s
    WHERE s.vendor_id = ${vendorId}::uuid AND s.id < ${last}::uuid
    ORDER BY s.id DESC LIMIT ${limit}`);
}

/** Returns the versions of a vendor that have one of these ids, in no order. */
export async function findVersionsById(
  client: Database,
  { vendorId, ids }: { vendorId: string; ids: readonly string[] },
): Promise<VersionRow[]> {
  return client.$queryRaw<VersionRow[]>(Prisma.sql`
    SELECT ${versionColumns} FROM snapshots s
    WHERE s.vendor_id = ${vendorId}::uuid AND s.id = ANY(${ids}::uuid[])`);
}

/** A vendor with pages; `hasText` if they show its text: the free tier covers it, or it is the caller's own. */
export type PageVendor = { id: string; name: string; slug: string; domain: string; hasText: boolean };

/** Returns a vendor that everyone sees or that an account owns; null for others. */
export async function findPageVendor(
  client: Database,
  slug: string,
  ownAccountId: string | null,
): Promise<PageVendor | null> {
  const vendor = await client.vendor.findUnique({
    where: { slug, ...visibleTo(ownAccountId) },
    select: { id: true, name: true, slug: true, domain: true, isPublic: true, accountId: true },
  });
  if (!vendor) return null;
  const { isPublic, accountId, ...shown } = vendor;
  return { ...shown, hasText: isPublic || accountId !== null };
}

export async function countVersions(client: Database, vendorId: string): Promise<number> {
  return client.snapshot.count({ where: { vendorId } });
}

/** Returns the ids of the versions directly before and after one; null if there is none. */
export async function findNeighbours(
  client: Database,
  { vendorId, id }: { vendorId: string; id: string },
): Promise<{ olderId: string | null; newerId: string | null }> {
  const [row] = await client.$queryRaw<[{ olderId: string | null; newerId: string | null }]>(Prisma.sql`SELECT
    (SELECT id FROM snapshots WHERE vendor_id = ${vendorId}::uuid AND id < ${id}::uuid ORDER BY id DESC LIMIT 1) AS "olderId",
    (SELECT id FROM snapshots WHERE vendor_id = ${vendorId}::uuid AND id > ${id}::uuid ORDER BY id LIMIT 1) AS "newerId"`);
  return row;
}

const findingsSchema = z.array(z.object({ detector: z.string(), points: z.number(), line: z.number() }));

/** Findings of the security detectors in a version, without the excerpts; at most 50. */
export type VersionFindings = z.infer<typeof findingsSchema>;

export async function readFindings(client: Database, id: string): Promise<VersionFindings> {
  const { securityFindings } = await client.snapshot.findUniqueOrThrow({
    where: { id },
    select: { securityFindings: true },
  });
  return findingsSchema.parse(securityFindings);
}
