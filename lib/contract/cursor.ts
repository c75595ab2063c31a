import { createHash } from "node:crypto";
import * as z from "zod";
import { AppError } from "#lib/platform/errors";

/** A cursor in a tool's arguments. */
export const cursorSchema = z.string().min(1).max(500).optional().describe("next_cursor of the previous page.");

/** The size of a page in a tool's arguments. */
export function limitSchema(maximum: number, defaultLimit = maximum) {
  return z.int().min(1).max(maximum).default(defaultLimit).describe("Most items of a page.");
}

/** A cursor in a tool's result. */
export const nextCursorSchema = z
  .string()
  .nullable()
  .describe("Pass it as cursor to get the next page; null on the last page.");

function scopeHash(scope: string): string {
  return createHash("sha256").update(scope).digest("base64url").slice(0, 8);
}

/** Returns a position in a list as an opaque cursor. It is valid only for `scope`: the list and its filters. */
export function writeCursor(scope: string, position: string): string {
  return Buffer.from(`${scopeHash(scope)}.${position}`).toString("base64url");
}

/** A position that is an id. */
export const idPosition = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A position that is a slug, or a path of slugs. */
export const slugPosition = /^[a-z0-9/-]{1,150}$/;
/** A position that is the number of preceding items. */
export const countPosition = /^\d{1,9}$/;

type Scope = {
  scope: string;
  /** Pattern of a valid position, because clients can forge cursors. */
  form: RegExp;
};

/**
 * Returns the position of a cursor, or null without a cursor. Throws AppError invalid_cursor if the cursor belongs to
 * another scope or its position does not match `form`.
 */
export function readCursor(cursor: string | undefined, { scope, form }: Scope): string | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, "base64url").toString();
  const prefix = `${scopeHash(scope)}.`;
  const position = text.slice(prefix.length);
  if (text.startsWith(prefix) && form.test(position)) return position;
  const message =
    "The cursor is not valid for these arguments. Call again without it, or with the arguments of the call that returned it.";
  throw new AppError("invalid_cursor", message);
}
