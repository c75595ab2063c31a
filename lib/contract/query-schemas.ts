import * as z from "zod";
import { describeIssue } from "#lib/platform/describe-issue";
import { AppError } from "#lib/platform/errors";

type Bounds = { minimum: number; maximum: number; default: number };

/** Returns the schema of a whole number in a query string. */
export function wholeNumberSchema(bounds: Bounds, description: string) {
  const { minimum, maximum } = bounds;
  const isWithin = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return z
    .string()
    .refine(isWithin, { error: `must be a whole number from ${minimum} to ${maximum}` })
    .transform(Number)
    .default(bounds.default)
    .meta({ description, type: "integer", ...bounds });
}

/** Returns the schema of `true` or `false` in a query string, by default false. */
export function flagSchema(description: string) {
  return z
    .string()
    .refine((text) => text === "true" || text === "false", { error: 'must be "true" or "false"' })
    .transform((text) => text === "true")
    .default(false)
    .meta({ description, type: "boolean", default: false });
}

/** Number of a page of a list, in a page's URL. */
export const pageNumberSchema = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, "must be the number of a page, from 1 on")
  .transform(Number);

/** Cursor of a list, in a page's URL. */
export const pageCursorSchema = z.guid({ error: "must be the cursor of a link to the next page" });

/** Query parameters of a page's URL; a repeated one is an array. */
export type PageParameters = Record<string, string | string[] | undefined>;

/** Returns the first value of a page's parameter, without spaces around it; undefined if it is empty. */
export const firstValue = (value: PageParameters[string]): string | undefined => [value].flat()[0]?.trim() || undefined;

const maxShownLength = 100;

const maxUnknownCount = 5;
/** Parameters that others add to links, such as those of campaigns. */
const foreign = /^(?:utm_.*|_rsc|ref|source|fbclid|gclid|msclkid)$/;

type Outputs<Shape> = { [Name in keyof Shape]?: Shape[Name] extends z.ZodType<infer Output> ? Output : never };

/**
 * Reads the filters of a page's URL. `invalid` has a sentence for each that is not valid, and therefore left out, and for each
 * parameter that the page does not have.
 */
export function readPageFilters<Shape extends Record<string, z.ZodType>>(
  shape: Shape,
  given: PageParameters,
): { filters: Outputs<Shape>; invalid: string[] } {
  const filters: Outputs<Shape> = {};
  const invalid: string[] = [];
  for (const name of Object.keys(shape) as (keyof Shape & string)[]) {
    const value = firstValue(given[name]);
    const result = value === undefined ? undefined : shape[name]?.safeParse(value);
    if (result?.success) filters[name] = result.data as Outputs<Shape>[typeof name];
    else if (result)
      invalid.push(
        `The filter “${name}=${value?.slice(0, maxShownLength)}” is ignored: it ${describeIssue(result.error)}.`,
      );
  }
  const unknown = Object.keys(given).filter((name) => !(name in shape) && !foreign.test(name));
  for (const name of unknown.slice(0, maxUnknownCount)) {
    const known = Object.keys(shape).join(", ");
    invalid.push(`The parameter “${name.slice(0, maxShownLength)}” is ignored: this page has ${known}.`);
  }
  return { filters, invalid };
}

/** Returns a sentence on a page beyond the last one, or none. */
export function describeBeyond(page: number, pageCount: number): string[] {
  return page > pageCount ? [`There is no page ${page}: the last one is ${pageCount}.`] : [];
}

/** Returns the cursor of a list endpoint, which is the id of a row. Throws AppError invalid_cursor if it is not a UUID. */
export function parseIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || z.guid().safeParse(cursor).success) return cursor;
  const message = 'Query parameter "cursor": must be the _meta.next_cursor of the previous page, a UUID.';
  throw new AppError("invalid_cursor", message);
}
