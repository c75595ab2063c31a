import { notFound } from "next/navigation";
import type * as z from "zod";
import { retryAfter } from "#lib/platform/database/unavailable";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { markPartial, setPageStatus } from "#lib/server/http/page-response";

/** The data of a page or of a part of it, or the error of why it could not be loaded. */
export type Loaded<T> = { data: T } | { error: AppError };

/** Returns the AppError with which something fails. Throws other errors. */
export async function orAppError<T>(load: () => Promise<T>): Promise<T | AppError> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Returns undefined for what cannot be loaded, and logs why: the page is shown without it, and is not kept. */
export async function orUndefined<T>(
  { log }: { log: Log },
  load: () => Promise<T>,
  message: string,
): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    log.warn({ err: error }, message);
    markPartial();
    return undefined;
  }
}

/** Loads the data of a part of a page. Returns AppErrors, and throws others. */
export async function loadData<T>(load: () => Promise<T>): Promise<Loaded<T>> {
  const data = await orAppError(load);
  return data instanceof AppError ? { error: data } : { data };
}

/**
 * Loads the data without which a page cannot be shown. If it does not exist, the status of the page becomes 404; if its
 * store does not answer, 503. `LoadFailure` shows the error. Where the status of the response cannot be set, shows the 404
 * page of Next.js, which needs JavaScript.
 */
export async function loadPageData<T>(load: () => Promise<T>): Promise<Loaded<T>> {
  const result = await loadData(load);
  if ("data" in result) return result;
  const { code } = result.error;
  if (code === "not_found" && !setPageStatus(404)) notFound();
  if (code === "service_unavailable") setPageStatus(503, retryAfter);
  return result;
}

/**
 * Returns the parameters of a page's path, checked by the schema of the endpoint that has the same ones. Throws AppError
 * not_found for those that can name nothing: PostgreSQL fails at NUL in text.
 */
export function requireParams<Params>(schema: z.ZodType<Params>, given: unknown): Params {
  const { success, data } = schema.safeParse(given);
  if (!success) throw new AppError("not_found", "Nothing has this address.");
  return data;
}
