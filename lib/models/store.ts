import { blockedScore } from "#lib/contract/blocked-content";
import type { Database } from "#lib/platform/database/index";
import { type ModelReader, modelReaders } from "./read-source";

type SourceVersion = { reader: ModelReader; url: string; snapshotId: string; fetchedAt: Date };

/** Returns the latest version of each source, except one whose text is withheld from models. */
export async function findSources(client: Database): Promise<SourceVersion[]> {
  return client.$queryRaw<SourceVersion[]>`
    SELECT v.reader::text, v.llms_txt_url AS url, s.id AS "snapshotId", v.last_fetched_at AS "fetchedAt"
    FROM vendors v JOIN snapshots s ON s.id = v.latest_snapshot_id
    WHERE v.reader::text = ANY(${[...modelReaders]}) AND v.account_id IS NULL AND s.security_score < ${blockedScore}
    ORDER BY v.id`;
}

/** Returns the compressed texts of versions, by their ids. */
export async function findTexts(client: Database, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
  const where = { id: { in: [...ids] } };
  const rows = await client.snapshot.findMany({
    where,
    select: { id: true, content: { select: { compressed: true } } },
  });
  return new Map(rows.map(({ id, content }) => [id, content.compressed]));
}

/** Returns the changes of the model with any of some names, newest first. */
export async function findChangesOf(client: Database, names: readonly string[], limit: number) {
  const where = { names: { hasSome: [...names] } };
  return client.modelChange.findMany({ where, orderBy: { id: "desc" }, take: limit });
}
export type ModelChangeRow = Awaited<ReturnType<typeof findChangesOf>>[number];

/** Most changes of models returned for a list of diffs. */
const maxChangeCount = 2_000;

type ModelFilter = { names: readonly string[]; minSignificance: number };

/** Returns the changes of models of some diffs, the most significant first; with a filter, only those that match it. */
export async function findChangesIn(
  client: Pick<Database, "modelChange">,
  diffIds: readonly string[],
  filter?: ModelFilter | undefined,
): Promise<ModelChangeRow[]> {
  const matches = filter && { names: { hasSome: [...filter.names] }, significance: { gte: filter.minSignificance } };
  const where = { diffId: { in: [...diffIds] }, ...matches };
  const orderBy = [{ significance: "desc" as const }, { id: "asc" as const }];
  return client.modelChange.findMany({ where, orderBy, take: maxChangeCount });
}

/** Returns those of some names, in lower case, of which a change of a model is stored. */
export async function findChangedNames(client: Database, names: readonly string[]): Promise<Set<string>> {
  const rows = await client.$queryRaw<{ name: string }[]>`
    SELECT name FROM unnest(${[...names]}::text[]) name WHERE EXISTS (SELECT FROM model_changes WHERE names @> ARRAY[name])`;
  return new Set(rows.map(({ name }) => name));
}
