import { AppError } from "#lib/platform/errors";

/** What a caller hears of a vendor whose file was never fetched. */
export function noSnapshot(slug: string): AppError {
  return new AppError("not_found", `Nothing has been fetched of the vendor "${slug}" yet.`);
}
