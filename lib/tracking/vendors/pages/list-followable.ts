import type { Database } from "#lib/platform/database/index";
import { findNames } from "../store";

/** Most vendors that the page for following by e-mail lists, beside those that its URL names. */
export const maxFollowableCount = 500;

/** Returns vendors of everybody: those with one of the slugs, then at most `maxFollowableCount` active ones by name. */
export async function listFollowable(
  { database }: { database: Database },
  slugs: readonly string[],
): ReturnType<typeof findNames> {
  const [first, named] = await Promise.all([
    findNames(database, { limit: maxFollowableCount }),
    slugs.length > 0 ? findNames(database, { slugs, limit: maxFollowableCount }) : [],
  ]);
  const others = first.filter(({ slug }) => !slugs.includes(slug));
  return [...named, ...others.toSorted((one, other) => one.name.localeCompare(other.name, "en"))];
}
