import * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import {
  currentModels,
  findChangesIn,
  type ModelChangeItem,
  resolveNames,
  summarizeChanges,
  toModelChange,
} from "#lib/models/index";
import type { Context } from "#lib/platform/context";
import { findUnknownModels } from "#lib/tracking/change-filters/index";
import {
  findOperationsIn,
  type OperationChangeItem,
  summarizeOperations,
  toOperationChange,
} from "#lib/tracking/operations/index";
import { ownAccountOf, unknownVendor } from "#lib/tracking/vendor-access/index";
import type { ChangeList } from "../schemas";
import { type Change, type ChangeSelection, findChanges } from "../store";
import { findBySlugs, findFollowedVendors } from "../store-vendors";
import { type ChangeFilters, callsOf, modelsOf, slugsOf } from "./query";

/** Changes on a page. */
const pageSize = 30;

/** A page of the changes, newest first. */
export type ChangePage = {
  changes: SubjectChange[];
  /** Null on the last page. */
  nextCursor: string | null;
  /** Slugs in the filters of vendors that the caller does not see. */
  unknownVendors: string[];
  /** Whether they name one vendor, whose file this server has not fetched. */
  isVendorUnfetched: boolean;
  /** When that was last fetched: null if never, undefined if they name no vendor or several. */
  lastFetchedAt: Date | null | undefined;
};

/** A change of a vendor's file, with what it changes of models or operations. */
export type SubjectChange = Change & { models: ModelChangeItem[]; operations: OperationChangeItem[] };

/** Without a caller, or with one without a key, nothing is of an account's own vendors. */
export type ChangesContext = Pick<Context, "database" | "clock"> & Partial<Pick<CallContext, "caller">>;

const accountOf = ({ caller }: ChangesContext) => (caller ? ownAccountOf(caller) : null);

/**
 * Returns the changes that match a selection, newest first. Those of models or operations have their summary and
 * significance, which with a filter are only those of what it names.
 */
export async function selectChanges(
  context: ChangesContext,
  selection: Omit<ChangeSelection, "accountId">,
): Promise<SubjectChange[]> {
  const { database } = context;
  const { min_significance: minSignificance } = selection.filters;
  const wanted = modelsOf(selection.filters);
  const modelNames = wanted && resolveNames(await currentModels(context), wanted);
  const calls = callsOf(selection.filters);
  const found = await findChanges(database, { ...selection, accountId: accountOf(context), modelNames, calls });
  const ids = found.flatMap(({ id, isOfSubjects }) => (isOfSubjects ? id : []));
  const [modelRows, operationRows] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([
          findChangesIn(database, ids, modelNames && { names: modelNames, minSignificance }),
          findOperationsIn(database, ids, { filter: calls && { calls, minSignificance } }),
        ]);
  return found.map((change) => {
    const models = modelRows.filter(({ diffId }) => diffId === change.id);
    const operations = operationRows.filter(({ diffId }) => diffId === change.id);
    const most = models[0] ?? operations[0];
    if (!most) return { ...change, models: [], operations: [] };
    const summary = models.length > 0 ? summarizeChanges(models) : summarizeOperations(operations);
    const report = { significance: most.significance, summary };
    return { ...change, ...report, models: models.map(toModelChange), operations: operations.map(toOperationChange) };
  });
}

type ListInput = { filters: ChangeFilters; cursor?: string | undefined; limit?: number };

/** Returns the changes that match the filters after a cursor: the id of a page's last change. Others are ignored. */
export async function listChanges(
  context: ChangesContext,
  { filters, cursor, limit = pageSize }: ListInput,
): Promise<ChangePage> {
  const before = z.guid().safeParse(cursor).data;
  const [found, { vendors, unknown }] = await Promise.all([
    selectChanges(context, { filters, before, limit: limit + 1 }),
    findNamedVendors(context, filters),
  ]);
  const only = vendors.length === 1 ? vendors[0] : undefined;
  const changes = found.slice(0, limit);
  return {
    changes,
    nextCursor: found.length > limit ? (changes.at(-1)?.id ?? null) : null,
    unknownVendors: unknown,
    isVendorUnfetched: only?.isFetched === false,
    lastFetchedAt: only?.lastFetchedAt,
  };
}

/** Returns the vendors that the filters name and the caller sees, and the slugs of others. */
export async function findNamedVendors(context: ChangesContext, filters: ChangeFilters) {
  const slugs = slugsOf(filters) ?? [];
  const vendors = slugs.length > 0 ? await findFollowedVendors(context.database, slugs, accountOf(context)) : [];
  return { vendors, unknown: slugs.filter((slug) => vendors.every((vendor) => vendor.slug !== slug)) };
}

/** Returns the vendors that the caller sees and that unknown vendors of the filters may stand for. */
export async function suggestVendors(context: ChangesContext, unknown: readonly string[]) {
  return unknown.length === 0 ? [] : findBySlugs(context.database, unknown, accountOf(context));
}

/** Throws AppError bad_request if filters name a vendor that the caller does not see. */
export function requireKnown([unknown]: readonly string[]): void {
  if (unknown !== undefined) throw unknownVendor(unknown);
}

export type ChangeListContext = ChangesContext & { origin: string };
export type ChangeListInput = { query: ChangeFilters & { cursor?: string | undefined } };

/** Returns the changes that match the filters, in API form, `limit` of them at most. Throws AppError bad_request. */
export async function readChangeList(
  context: ChangeListContext,
  { query: { cursor, ...filters } }: ChangeListInput,
  limit = pageSize,
): Promise<Pick<ChangeList, "changes"> & Pick<ChangePage, "nextCursor" | "lastFetchedAt">> {
  const { changes, nextCursor, lastFetchedAt, unknownVendors } = await listChanges(context, { filters, cursor, limit });
  requireKnown(unknownVendors);
  return {
    nextCursor,
    lastFetchedAt,
    changes: changes.map(
      ({ id, name, slug, domain, category, significance, summary, categories, models, operations, ...change }) => ({
        id,
        vendor: { name, slug, domain, category },
        lines_added: change.linesAdded,
        lines_removed: change.linesRemoved,
        created_at: change.createdAt.toISOString(),
        significance,
        summary,
        categories,
        url: `${context.origin}/vendors/${slug}/diffs/${id}`,
        models,
        operations,
      }),
    ),
  };
}

/** Returns a page of the changes that match the filters. Throws AppError bad_request. */
export async function getChangeList(context: ChangeListContext, input: ChangeListInput): Promise<ChangeList> {
  const { changes, nextCursor, lastFetchedAt } = await readChangeList(context, input);
  const unknown = await findUnknownModels(context, modelsOf(input.query) ?? []);
  return {
    _meta: {
      count: changes.length,
      next_cursor: nextCursor,
      ...(lastFetchedAt !== undefined && { last_fetched_at: lastFetchedAt?.toISOString() ?? null }),
      ...(unknown.length > 0 && { unknown_models: unknown }),
    },
    changes,
  };
}
