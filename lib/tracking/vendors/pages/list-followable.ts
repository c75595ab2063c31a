import type { Database } from "#lib/platform/database/index";
import { findNames } from "../store";

/** Most vendors that the page for following by e-mail lists, beside those that its URL names. */
export const maxFollowableCount = 500;

/** Returns the active vendors of everybody by name, at most `maxFollowableCount` and those with one of the slugs. */
export async function listFollowable(
  { database }: { database: Database },
  slugs: readonly string[],
): Promise<{ slug: string; name: string }[]> {
  const [first, named] = await Promise.all([
    findNames(database, { limit: maxFollowableCount }),
    slugs.length > 0 ? findNames(database, { slugs, limit: maxFollowableCount }) : [],
  ]);
  const known = new Set(first.map(({ slug }) => slug));
  return [...named.filter(({ slug }) => !known.has(slug)), ...first];
}
