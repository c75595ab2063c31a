import * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import { bodySchema } from "#lib/contract/parse-body";
import { currentModels, findChangedNames, resolveNames } from "#lib/models/index";
import type { Context } from "#lib/platform/context";
import { AppError } from "#lib/platform/errors";
import { operationNameSchema } from "#lib/tracking/operations/index";
import { intelligenceCategorySchema } from "#lib/tracking/report-categories/index";
import { filterTextSchema, ownAccountOf, vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { findVisibleSlugs, type StoredFilters } from "./store";

/** Most slugs in a filter. */
export const maxFilterVendorCount = 50;
/** Most models in a filter: as many as a large suite of tests uses. */
const maxFilterModelCount = 200;
/** Most operations in a filter. */
const maxFilterOperationCount = 200;

type FilterTexts = {
  id: string;
  minSignificance: string;
  /** The lowest minimum significance. */
  least?: number;
};

/** Returns the schema of filters of changes, with the name that it has in the OpenAPI document. */
export function changeFiltersSchema({ id, minSignificance, least = 1 }: FilterTexts) {
  const significanceMessage = least === 4 ? "must be 4 or 5" : `must be a whole number from ${least} to 5`;
  return bodySchema(
    {
      vendors: z
        .array(vendorParamsSchema.shape.slug.meta({ description: undefined }))
        .min(1, "must name at least one vendor")
        .max(maxFilterVendorCount, `must name at most ${maxFilterVendorCount} vendors`)
        .optional()
        .describe("Slugs."),
      models: z
        .array(filterTextSchema.min(1))
        .min(1, "must name at least one model")
        .max(maxFilterModelCount, `must name at most ${maxFilterModelCount} models`)
        .optional()
        .describe("In any spelling."),
      operations: z
        .array(operationNameSchema)
        .min(1, "must name at least one operation")
        .max(maxFilterOperationCount, `must name at most ${maxFilterOperationCount} operations`)
        .optional()
        .describe("As POST api.openai.com/v1/responses."),
      categories: z
        .array(intelligenceCategorySchema)
        .min(1, "must name at least one category")
        .max(intelligenceCategorySchema.options.length, "must not repeat categories")
        .optional()
        .describe("Of its report, one of these."),
      min_significance: z
        .int(significanceMessage)
        .min(least, significanceMessage)
        .max(5, significanceMessage)
        .optional()
        .describe(minSignificance),
    },
    "must be an object with vendors, models, operations, categories or min_significance",
  ).meta({ id, description: "What a change must match: each given field; of models and operations, one." });
}

export type ChangeFilters = z.output<ReturnType<typeof changeFiltersSchema>>;

const distinct = (values: readonly string[]) => [...new Set(values)];

/**
 * Returns filters as they are stored, models by their names in the catalogue. One that it does not know is kept as it is, for
 * the day on which it is listed. Throws AppError bad_request if a slug is of no vendor that the caller sees.
 */
export async function readFilters(
  { caller, database, clock }: CallContext,
  { vendors = [], models = [], operations = [], categories = [], min_significance: minSignificance }: ChangeFilters,
): Promise<StoredFilters> {
  const known = vendors.length > 0 ? await findVisibleSlugs(database, ownAccountOf(caller), vendors) : new Set();
  const unknown = vendors.find((slug) => !known.has(slug));
  if (unknown === undefined)
    return {
      filterVendors: distinct(vendors),
      filterModels: models.length > 0 ? resolveNames(await currentModels({ database, clock }), models) : [],
      filterOperations: distinct(operations),
      filterCategories: distinct(categories),
      minSignificance: minSignificance ?? null,
    };
  const message = `Body field "filters.vendors": there is no vendor "${unknown}". GET /api/v1/vendors/search finds slugs.`;
  throw new AppError("bad_request", message);
}

/** A field of answers: models of the filters that are not known. */
export const unknownModelsSchema = z
  .array(z.string())
  .optional()
  .describe(
    "Those of `models` that are not in the catalogue, and of which no change is known; absent if there are none.",
  );

type FilterContext = Pick<Context, "database" | "clock">;

/** Returns the models of which neither the catalogue nor a stored change knows anything. */
export async function findUnknownModels(context: FilterContext, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const catalogue = await currentModels(context);
  const missing = names.filter((name) => !catalogue.find(name));
  if (missing.length === 0) return [];
  const changed = await findChangedNames(
    context.database,
    missing.map((name) => name.toLowerCase()),
  );
  return missing.filter((name) => !changed.has(name.toLowerCase()));
}

/** Returns the field of an answer on the unknown models of filters; nothing if there are none. */
export async function tellUnknownModels(
  context: FilterContext,
  filters: Pick<ChangeFilters, "models"> | null | undefined,
): Promise<{ unknown_models?: string[] }> {
  const unknown = await findUnknownModels(context, filters?.models ?? []);
  return unknown.length > 0 ? { unknown_models: unknown } : {};
}

/** Returns stored filters in API form; undefined if there are none. */
export function toFilters({
  filterVendors,
  filterModels,
  filterOperations,
  filterCategories,
  minSignificance,
}: StoredFilters): ChangeFilters | undefined {
  const filters = {
    ...(filterVendors.length > 0 && { vendors: filterVendors }),
    ...(filterModels.length > 0 && { models: filterModels }),
    ...(filterOperations.length > 0 && { operations: filterOperations }),
    ...(filterCategories.length > 0 && { categories: filterCategories as NonNullable<ChangeFilters["categories"]> }),
    ...(minSignificance !== null && { min_significance: minSignificance }),
  };
  return Object.keys(filters).length > 0 ? filters : undefined;
}
