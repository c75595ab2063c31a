import * as z from "zod";
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

/** Returns the cursor of a list endpoint, which is the id of a row. Throws AppError invalid_cursor if it is not a UUID. */
export function parseIdCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || z.guid().safeParse(cursor).success) return cursor;
  const message = 'Query parameter "cursor": must be the _meta.next_cursor of the previous page, a UUID.';
  throw new AppError("invalid_cursor", message);
}
