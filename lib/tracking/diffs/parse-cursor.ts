import { z } from "zod";
import { AppError } from "#lib/platform/errors";

/** A page's cursor, which is an id. Throws AppError invalid_cursor where it is none. */
export function parseCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || z.guid().safeParse(cursor).success) return cursor;
  const message = 'Query parameter "cursor": must be the _meta.next_cursor of the page before, a UUID.';
  throw new AppError("invalid_cursor", message);
}
