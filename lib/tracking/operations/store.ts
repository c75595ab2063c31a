import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";
import { maxOperationCount, type OperationChange } from "./compare-operations";
import type { Difference } from "./compare-schemas";
import type { OperationChangeItem } from "./schemas";

/** A stored change. */
export type OperationChangeRow = Omit<OperationChange, "pattern"> & { diffId: string; createdAt: Date };

type OperationFilter = { calls: readonly string[]; minSignificance: number };

/** Condition that a stored change `o` is of one of some calls, written `POST host/path`. */
export const isOfCalls = (calls: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT 1 FROM unnest(${calls}) wanted WHERE wanted ~ o.pattern)`;

type OperationQuery = {
  filter?: OperationFilter | undefined;
  /** Most changes of each diff. Default: all that are stored. */
  limit?: number;
};

/** Returns the changes of operations of some diffs, the most significant first; with a filter, only those that match it. */
export async function findOperationsIn(
  client: Pick<Database, "$queryRaw">,
  diffIds: readonly string[],
  { filter, limit = maxOperationCount }: OperationQuery = {},
): Promise<OperationChangeRow[]> {
  if (diffIds.length === 0) return [];
  const matches = filter
    ? Prisma.sql`AND o.significance >= ${filter.minSignificance} AND ${isOfCalls(Prisma.sql`${[...filter.calls]}::text[]`)}`
    : Prisma.empty;
  return client.$queryRaw<OperationChangeRow[]>`
    SELECT diff_id AS "diffId", method, path, urls, kind, breaking, doc_only AS "docOnly", differences,
      difference_count AS "differenceCount", significance, created_at AS "createdAt"
    FROM unnest(${[...diffIds]}::uuid[]) wanted(id) CROSS JOIN LATERAL (
      SELECT * FROM operation_changes o WHERE o.diff_id = wanted.id ${matches}
      ORDER BY o.significance DESC, o.id LIMIT ${limit}
    ) o ORDER BY o.significance DESC, o.id`;
}

/** Returns a stored change in API form. */
export function toOperationChange(row: OperationChangeRow): OperationChangeItem {
  const { method, path, urls, breaking, significance } = row;
  return {
    method,
    path,
    urls,
    change: row.kind,
    breaking,
    doc_only: row.docOnly,
    significance,
    differences: row.differences.map(({ target, at, change, breaking, docOnly }: Difference) => {
      return { target, at, change, breaking, doc_only: docOnly };
    }),
    difference_count: row.differenceCount,
    at: row.createdAt.toISOString(),
    diff_id: row.diffId,
  };
}
