/** First segments that belong to endpoints, to Next.js and to share images. */
const otherPaths = /^\/(?:api|v1|v1beta|metrics|_next|og|\.well-known)(?:\/|$)/;

/** Whether a path may belong to a page. Files and documents, which are not pages, have a dot in their last segment. */
export function isPagePath(path: string): boolean {
  return !otherPaths.test(path) && !path.slice(path.lastIndexOf("/")).includes(".");
}
