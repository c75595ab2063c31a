import { config } from "#lib/platform/config";
import type { Group } from "#lib/server/http/bindings";
import { clientPaths, declaredPath, versionlessPaths } from "./client-paths";

/** Loads a module once. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}

const replayPaths =
  /^\/(?:v[12]|v1beta|api\/(?:chat|generate|embed|embeddings|tags|show|version)|api\/v1\/(?:replay|cassettes|match|fleet))(?:\/|$)/;

/**
 * Every path of an endpoint, with the module that binds it to its verb. The first group whose pattern fits answers a
 * request: in front of Next, and in the catch-all routes on Vercel and in development.
 */
export const groups: readonly Group[] = [
  {
    paths: new RegExp(`${replayPaths.source}|${clientPaths.source}`),
    load: once(() => import("./bindings/replay")),
    declaredPath,
    pages: versionlessPaths,
  },
  { paths: /^\/api\/v1\/models(?:\/|$)/, load: once(() => import("./bindings/models")) },
  { paths: /^\/api\/mcp(?:\/|$)/, load: once(() => import("./bindings/mcp")) },
  { paths: /^\/api\/v1\/health(?:\/|$)/, load: once(() => import("./bindings/health")) },
  {
    paths: /^\/(?:robots\.txt|server\.json|\.well-known\/[^/]+(?:\/server-card\.json)?)\/?$/,
    load: once(() => import("./bindings/documents")),
  },
  {
    paths: /^\/(?:llms(?:-full)?\.txt|openapi\.json|sitemap\.xml|changelog\.md|docs\/.+\.md|api\/v1\/search)\/?$/,
    load: once(() => import("./bindings/discovery")),
    // The hosted index searches elsewhere, and its answers are waited for.
    isQueued: (path) => /^\/api\/v1\/search\/?$/.test(path) && config().UPSTASH_SEARCH_REST_URL === undefined,
  },
  { paths: /^\/(?:metrics|api\/cron|api\/v1\/cron)(?:\/|$)/, load: once(() => import("./bindings/jobs")) },
  {
    paths: /^\/api\/(?:webhooks|v1\/(?:keys|payment|pricing))(?:\/|$)/,
    load: once(() => import("./bindings/accounts")),
  },
  {
    paths: /^\/(?:api(?:\/.*)?|(?:vendors\/[^/]+\/)?feed\.(?:json|xml)\/?|changes\.(?:csv|jsonl)\/?)$/,
    load: once(() => import("./bindings/tracking")),
  },
];
