import { isTagSlug } from "#lib/contract/endpoint";

const tagPage = /^\/docs\/api\/([^/]+)$/;
const otherPages = /^\/docs\/(?!(?:api|search-results)$|api\/)(.+)(?<!\.md)$/;

/**
 * Whether a path below /docs belongs to no page. `slugs` lists the pages of content/docs; without it, each is left to its
 * route. Names are not decoded, because none of ours needs encoding.
 */
export function isUnknownDocsPage(path: string, slugs: readonly string[] | undefined): boolean {
  const trimmed = path.replace(/\/$/, "");
  const [, tag] = tagPage.exec(trimmed) ?? [];
  if (tag !== undefined) return !isTagSlug(tag);
  const [, slug] = otherPages.exec(trimmed) ?? [];
  return slug !== undefined && slugs !== undefined && !slugs.includes(slug);
}
