import { isTagSlug } from "#lib/contract/endpoint";
import { findPage } from "#lib/discovery/content/index";
import { AppError } from "#lib/platform/errors";
import { cassetteIdSchema } from "#lib/replay/cassettes/index";
import type { RequestContext } from "#lib/server/http/context";
import { requirePageDiff } from "#lib/tracking/diffs/index";
import { requireVisibleVendor } from "#lib/tracking/vendor-access/index";

/** Looks for what an address names: gives something falsy, or throws AppError not_found, where there is nothing. */
type Find = (context: RequestContext, names: string[]) => Promise<unknown>;

async function findCassette({ catalogue }: RequestContext, names: string[]): Promise<unknown> {
  const id = cassetteIdSchema.safeParse(names.join("/"));
  return id.success && catalogue.find(id.data);
}

/** Pages whose address names something. Names are compared as they stand: none of ours has to be encoded. */
const named: [pattern: RegExp, find: Find][] = [
  [/^\/replay\/([^/]+)\/([^/]+)$/, findCassette],
  [/^\/vendors\/([^/]+)$/, (context, [slug = ""]) => requireVisibleVendor(context, slug).then(() => true)],
  [/^\/vendors\/([^/]+)\/diffs\/([^/]+)$/, (context, [slug = "", id = ""]) => requirePageDiff(context, { slug, id })],
  [/^\/docs\/api\/([^/]+)$/, async (_context, [slug = ""]) => isTagSlug(slug)],
  [/^\/docs\/(?!(?:api|search-results)$|(?:api|raw)\/)(.+)(?<!\.md)$/, (_context, [slug = ""]) => findPage(slug)],
];

/**
 * Whether a page's address names something that there is not. A page that finds this out while it is drawn can still
 * answer 404, but only with an empty document that its script has to fill. What cannot be found out now is not missing:
 * the page itself says what is wrong.
 */
export async function isMissingPage(context: RequestContext, path: string): Promise<boolean> {
  for (const [pattern, find] of named) {
    const match = pattern.exec(path.replace(/\/$/, ""));
    if (!match) continue;
    try {
      return !(await find(context, match.slice(1)));
    } catch (error) {
      return error instanceof AppError && error.code === "not_found";
    }
  }
  return false;
}
