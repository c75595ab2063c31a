import { anonymousCaller, type Caller } from "#lib/accounts/plans/index";
import { currentSite, type Site, type SiteUrls, siteOfHostname } from "#lib/contract/sites";
import { type Clock, systemClock } from "#lib/platform/clock";
import { buildDate, config } from "#lib/platform/config";
import { type Ids, systemIds } from "#lib/platform/ids";
import { type Log, log } from "#lib/platform/log";
import { clientAddress, type RequestView, requestOrigin, trustedProxyCount } from "./request";

/** What every verb can need. Its binding adds the products that it uses: see `lib/server/products.ts`. */
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
  log: Log;
};

/** Returns the context of a request. Origin and site are computed on first use: replays need neither. */
export function requestContext(
  view: Pick<RequestView, "header" | "encrypted" | "socketAddress">,
  requestId: string,
): RequestContext {
  const settings = config();
  const { BASE_URL, PORT, SITE, SITE_URLS = {} } = settings;
  let url: URL | undefined;
  const requestUrl = () => {
    const isSite = (hostname: string) => siteOfHostname(hostname, SITE_URLS) !== undefined;
    url ??= requestOrigin(view, { baseUrl: BASE_URL, port: PORT, isSite, proxyCount: trustedProxyCount(settings) });
    return url;
  };
  return {
    requestId,
    caller: anonymousCaller,
    clientAddress: () => clientAddress(view, settings),
    get origin() {
      return requestUrl().origin;
    },
    get site() {
      return currentSite(requestUrl().hostname, { siteUrls: SITE_URLS, siteSlug: SITE });
    },
    siteUrls: SITE_URLS,
    buildDate,
    clock: systemClock,
    ids: systemIds,
    log: log(),
  };
}
