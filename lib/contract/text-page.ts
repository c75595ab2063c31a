import { createHash } from "node:crypto";
import { AppError } from "#lib/platform/errors";

/** A page of a long text; `nextCursor` is null on the last page. */
export type TextPage = { text: string; nextCursor: string | null };

type TextPageInput = {
  /** Where to continue; null for the first page. */
  cursor: string | null;
  /** Most characters (UTF-16 units) of the page. */
  maxLength: number;
};

function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

function startOf(text: string, cursor: string): number {
  const [, hash, digits] = /^([\w-]{12})\.(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  const start = Number(digits);
  if (hash === undefined || start > text.length) {
    throw new AppError("invalid_cursor", "The cursor is not valid. Call again without it.");
  }
  if (hash === fingerprint(text)) return start;
  throw new AppError(
    "invalid_cursor",
    "The text has changed since its first part was read. Call again without a cursor.",
  );
}

/** Returns where a page ends: after a line if one ends in its second half, and never inside a surrogate pair. */
function endOf(text: string, start: number, maxLength: number): number {
  const limit = start + maxLength;
  if (limit >= text.length) return text.length;
  const line = text.lastIndexOf("\n", limit - 1) + 1;
  if (line > start + maxLength / 2) return line;
  const isInsidePair = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1));
  return isInsidePair ? limit - 1 : limit;
}

/**
 * Returns one page of a text. The cursor contains the text's hash: if the text has changed, the next page would not
 * continue the previous one, so the cursor is rejected. Throws AppError invalid_cursor.
 */
export function pageText(text: string, { cursor, maxLength }: TextPageInput): TextPage {
  const start = cursor === null ? 0 : startOf(text, cursor);
  const end = endOf(text, start, maxLength);
  const nextCursor = end < text.length ? Buffer.from(`${fingerprint(text)}.${end}`).toString("base64url") : null;
  return { text: text.slice(start, end), nextCursor };
}
