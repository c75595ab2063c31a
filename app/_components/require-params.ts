import type * as z from "zod";
import { AppError } from "#lib/platform/errors";

/**
 * Returns the parameters of a page's path, checked by the schema of the endpoint that has the same ones. Throws AppError
 * not_found for those that can name nothing: PostgreSQL fails at NUL in text.
 */
export function requireParams<Params>(schema: z.ZodType<Params>, given: unknown): Params {
  const { success, data } = schema.safeParse(given);
  if (!success) throw new AppError("not_found", "Nothing has this address.");
  return data;
}
