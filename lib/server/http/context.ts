import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { findNearestCassettes } from "#lib/discovery/search/index";
import { type Clock, systemClock } from "#lib/platform/clock";
import { buildDate, config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { requireDatabase } from "#lib/platform/database/index";
import { type Ids, systemIds } from "#lib/platform/ids";
import { type Log, log } from "#lib/platform/log";
import { type Catalogue, catalogue } from "#lib/replay/cassettes/index";
import type { DropInContext } from "#lib/replay/playback/index";
import { currentSite, type Site, type SiteUrls } from "#lib/replay/sites/index";
import { clientAddress, requestOrigin, trustedProxyCount } from "./forwarded-headers";
import type { RequestView } from "./request-view";

/** Context of every verb. */
export type RequestContext = {
  requestId: string;
  /** The caller; anonymous on endpoints without authentication. */
  caller: Caller;
  /** Address of the client; null if unknown. */
  clientAddress: () => string | null;
  /** Origin of the request, without a trailing slash. */
  origin: string;
  site: Site;
  siteUrls: SiteUrls;
  buildDate: string;
  clock: Clock;
  ids: Ids;
  catalogue: Catalogue;
  /** Returns the site's cassettes with the most similar prompts. */
  nearestCassettes: DropInContext["nearestCassettes"];
  /** Throws AppError service_unavailable if no database is configured. */
  database: Database;
  log: Log;
};

/** Returns the context of a request. Origin and site are computed on first use: replays need neither. */
export function requestContext(view: RequestView, requestId: string): RequestContext {
  const settings = config();
  const { BASE_URL, SITE, SITE_URLS = {} } = settings;
  let url: URL | undefined;
  const requestUrl = () => {
    url ??= requestOrigin(view, { baseUrl: BASE_URL, proxyCount: trustedProxyCount(settings) });
    return url;
  };
  const site = () => currentSite(requestUrl().hostname, { siteUrls: SITE_URLS, siteSlug: SITE });
  return {
    requestId,
    caller: anonymousCaller,
    clientAddress: () => clientAddress(view, settings),
    get origin() {
      return requestUrl().origin;
    },
    get site() {
      return site();
    },
    siteUrls: SITE_URLS,
    buildDate,
    clock: systemClock,
    ids: systemIds,
    catalogue: catalogue(),
    nearestCassettes: (input) => findNearestCassettes({ catalogue: catalogue(), site: site() }, input),
    get database() {
      return requireDatabase();
    },
    log: log(),
  };
}

/** Returns the context of a page from the headers of its request, as for the API. */
export function pageContext(requestHeaders: Headers): RequestContext {
  return requestContext(
    {
      method: "GET",
      target: "/",
      header: (name) => requestHeaders.get(name),
      headers: () => new Headers(requestHeaders),
      encrypted: false,
      params: {},
      signal: () => new AbortController().signal,
      readBody: async () => new Uint8Array(),
    },
    "page",
  );
}
