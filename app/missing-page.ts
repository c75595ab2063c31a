import { isTagSlug } from "#lib/contract/endpoint";
import { findPage } from "#lib/discovery/content/index";
import { requireAnswer } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { cassetteIdSchema } from "#lib/replay/cassettes/index";
import type { RequestContext } from "#lib/server/http/context";
import { requirePageDiff } from "#lib/tracking/diffs/index";
import { requireVisibleVendor } from "#lib/tracking/vendor-access/index";

/**
 * Looks up what a path names. Returns a falsy value or throws AppError not_found if it does not exist, and
 * service_unavailable if the page cannot be shown without its database.
 */
type Find = (context: RequestContext, names: string[]) => Promise<unknown>;

async function findCassette({ catalogue }: RequestContext, names: string[]): Promise<unknown> {
  const id = cassetteIdSchema.safeParse(names.join("/"));
  return id.success && catalogue.find(id.data);
}

/** Pages whose path names a resource. Names are not decoded, because none of ours needs encoding. */
const resourcePages: [pattern: RegExp, find: Find][] = [
  [/^\/replay\/([^/]+)\/([^/]+)$/, findCassette],
  [/^\/vendors$/, ({ database }) => requireAnswer(database).then(() => true)],
  [/^\/vendors\/([^/]+)$/, (context, [slug = ""]) => requireVisibleVendor(context, slug).then(() => true)],
  [/^\/vendors\/([^/]+)\/diffs\/([^/]+)$/, (context, [slug = "", id = ""]) => requirePageDiff(context, { slug, id })],
  [/^\/docs\/api\/([^/]+)$/, async (_context, [slug = ""]) => isTagSlug(slug)],
  [/^\/docs\/(?!(?:api|search-results)$|(?:api|raw)\/)(.+)(?<!\.md)$/, (_context, [slug = ""]) => findPage(slug)],
];

/** Whether a page can be shown. `unavailable` if its database does not answer. */
type PageState = "found" | "missing" | "unavailable";

/**
 * Returns whether a page's path names something. It is checked before rendering, because a page that calls `notFound()`
 * while it streams returns an empty document that only its script fills, and the status cannot change any more. After
 * other errors the page counts as found: it shows the error itself.
 */
export async function findPageState(context: RequestContext, path: string): Promise<PageState> {
  for (const [pattern, find] of resourcePages) {
    const match = pattern.exec(path.replace(/\/$/, ""));
    if (!match) continue;
    try {
      return (await find(context, match.slice(1))) ? "found" : "missing";
    } catch (error) {
      if (error instanceof AppError && error.code === "service_unavailable") return "unavailable";
      return error instanceof AppError && error.code === "not_found" ? "missing" : "found";
    }
  }
  return "found";
}
