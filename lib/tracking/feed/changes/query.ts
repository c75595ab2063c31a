import * as z from "zod";
import { type PageParameters, pageCursorSchema, readPageFilters, wholeNumberSchema } from "#lib/contract/query-schemas";
import { operationNameSchema } from "#lib/tracking/operations/index";
import { intelligenceCategorySchema } from "#lib/tracking/report-categories/index";

const daySchema = (description: string) =>
  z.iso
    .date({ error: "must be a date such as 2026-11-21" })
    .optional()
    .meta({ description, examples: ["2026-11-21"] });

/** Longest list of vendors, models or operations, in characters. */
const maxListLength = 4_000;
/** Most vendors in a list. */
const maxVendorCount = 50;

const listSchema = z
  .string()
  .max(maxListLength, `must have at most ${maxListLength} characters`)
  .refine((text) => !text.includes("\0"), "must not contain NUL");

function readList(text = ""): string[] | undefined {
  const given = new Set(text.split(",").flatMap((part) => part.trim() || []));
  return given.size > 0 ? [...given] : undefined;
}

/** Returns the calls of a list as they are compared; undefined if one is not valid, or if there are none. */
function readCalls(text: string): string[] | undefined {
  const given = text.split(",").filter((call) => call.trim() !== "");
  return z.array(operationNameSchema).min(1).safeParse(given).data;
}

const filterShape = {
  vendor: listSchema
    .toLowerCase()
    .refine((text) => (readList(text) ?? []).length <= maxVendorCount, `must name at most ${maxVendorCount} vendors`)
    .optional()
    .meta({
      description: `Only changes of the vendors with these slugs, in upper or lower case, separated by commas: at most ${maxVendorCount}.`,
      examples: ["quarrydb", "quarrydb,plotwell"],
    }),
  models: listSchema
    .optional()
    .meta({
      description:
        "Only changes of these models: ids, aliases or other spellings, separated by commas. Summary and significance are then those of their changes.",
      examples: ["openai/gpt-5-mini,gemini-2.0-flash"],
    }),
  operations: z
    .string()
    .max(maxListLength, `must have at most ${maxListLength} characters`)
    .refine((text) => readCalls(text) !== undefined, "must be a method and a URL each, separated by commas")
    .optional()
    .meta({
      description:
        "Only changes of the operations that these requests call, separated by commas; with `models`, of either. Summary and significance are then those of their changes. Within `vendor`, `from`, `to` and the cursor, only the newest 10,000, in the newest 20,000 changes of OpenAPI documents, are searched.",
      examples: ["POST https://api.openai.com/v1/responses"],
    }),
  category: intelligenceCategorySchema
    .optional()
    .describe("Only changes with a report of this category that the site shows without a key."),
  min_significance: wholeNumberSchema(
    { minimum: 1, maximum: 5, default: 1 },
    "Minimum significance. From 2 on, only changes with a report.",
  ),
  from: daySchema("Only changes from this day on, in UTC."),
  to: daySchema("Only changes up to this day, in UTC; the day is included."),
};

const isInOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => !from || !to || from <= to;
const order = { path: ["to"], error: 'must not be before "from"' };

/** Filters of the changes, for the feeds and the page. */
export const changesQuerySchema = z.object(filterShape).refine(isInOrder, order);
export type ChangeFilters = z.infer<typeof changesQuerySchema>;

/** Filters of the changes and the position in their list. */
export const changeListQuerySchema = z
  .object({ ...filterShape, cursor: z.guid().optional().describe("`_meta.next_cursor` of the previous page.") })
  .refine(isInOrder, order);

/** Returns the slugs of the vendors of a filter; undefined without any. */
export const slugsOf = ({ vendor }: Pick<ChangeFilters, "vendor">): string[] | undefined => readList(vendor);

/** Returns the models of a filter; undefined without any. */
export const modelsOf = ({ models }: Pick<ChangeFilters, "models">): string[] | undefined => readList(models);

/** Returns the calls of a filter by operations; undefined without any. */
export const callsOf = ({ operations }: Pick<ChangeFilters, "operations">): string[] | undefined =>
  operations === undefined ? undefined : readCalls(operations);

type PageQuery = { filters: ChangeFilters; cursor?: string | undefined; invalid: string[] };

/** Parses the filters and the position of a page's URL. Invalid values are left out, with a sentence on each in `invalid`. */
export function readChangeFilters(given: PageParameters): PageQuery {
  const { filters: read, invalid } = readPageFilters({ ...filterShape, cursor: pageCursorSchema }, given);
  const { cursor, ...filters } = read;
  const { from, to } = filters;
  if (!isInOrder(filters)) invalid.push(`No change can be from ${from} on and up to ${to}: “from” is later than “to”.`);
  return { filters: { min_significance: 1, ...filters }, cursor, invalid };
}

/** Returns those of a page's filters that feeds and files accept, which refuse unknown vendors and days in reverse. */
export function acceptedFilters(filters: ChangeFilters, unknownVendors: readonly string[]): ChangeFilters {
  const refused = {
    ...(unknownVendors.length > 0 && { vendor: undefined }),
    ...(!isInOrder(filters) && { from: undefined, to: undefined }),
  };
  return { ...filters, ...refused };
}

/** Returns the URL of a selection of changes, without filters that have their default value. */
export function changesHref(path: string, filters: ChangeFilters, cursor?: string): string {
  const { min_significance, ...texts } = filters;
  const given = { ...texts, ...(min_significance > 1 && { min_significance: String(min_significance) }), cursor };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) parameters.set(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
