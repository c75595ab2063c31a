import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "#lib/platform/errors";

/** A cursor in a tool's arguments. */
export const cursorSchema = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe("next_cursor of the page before, with the other arguments as they were. Leave it out to begin.");

/** A cursor in a tool's result. */
export const nextCursorSchema = z
  .string()
  .nullable()
  .describe("Call again with it as cursor for what follows; null: this is the end.");

function markOf(scope: string): string {
  return createHash("sha256").update(scope).digest("base64url").slice(0, 8);
}

/** A position in a list as clients get it. `scope` says which list under which filters: it is good there alone. */
export function writeCursor(scope: string, position: string): string {
  return Buffer.from(`${markOf(scope)}.${position}`).toString("base64url");
}

/** Positions that are ids. */
export const idPosition = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Positions that are slugs, or paths of them. */
export const slugPosition = /^[a-z0-9/-]{1,150}$/;
/** Positions that are numbers of what lies before them. */
export const countPosition = /^\d{1,9}$/;

type Scope = {
  scope: string;
  /** What a position looks like: a cursor can be made up. */
  form: RegExp;
};

/**
 * The position of a cursor, null where there is none. Throws AppError invalid_cursor for one of another scope or form.
 */
export function readCursor(cursor: string | undefined, { scope, form }: Scope): string | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, "base64url").toString();
  const mark = `${markOf(scope)}.`;
  const position = text.slice(mark.length);
  if (text.startsWith(mark) && form.test(position)) return position;
  const message =
    "The cursor was not given out for these arguments. Call again without it, or with the arguments that it came from.";
  throw new AppError("invalid_cursor", message);
}
