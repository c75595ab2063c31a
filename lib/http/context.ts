import { type Catalogue, catalogue } from "#lib/cassettes/index";
import { type Clock, systemClock } from "#lib/platform/clock";
import { buildDate, config } from "#lib/platform/config";
import { type Log, log } from "#lib/platform/log";
import { currentSite, type Site, type SiteUrls } from "#lib/sites/index";
import { requestOrigin } from "./origin";
import type { RequestView } from "./request-view";

/** What every verb gets beside its input. */
export type RequestContext = {
  requestId: string;
  /** Origin that the request came to, without a trailing slash. */
  origin: string;
  site: Site;
  siteUrls: SiteUrls;
  buildDate: string;
  clock: Clock;
  catalogue: Catalogue;
  log: Log;
};

/** Origin and site are found when they are first asked for: a replay needs neither, and parsing an address costs. */
export function requestContext(view: RequestView, requestId: string): RequestContext {
  const { BASE_URL, TRUST_PROXY, VERCEL, SITE, SITE_URLS = {} } = config();
  let url: URL | undefined;
  const address = () => {
    const trustProxy = TRUST_PROXY ? TRUST_PROXY === "on" : Boolean(VERCEL);
    url ??= requestOrigin(view, { baseUrl: BASE_URL, trustProxy });
    return url;
  };
  return {
    requestId,
    get origin() {
      return address().origin;
    },
    get site() {
      return currentSite(address().hostname, { siteUrls: SITE_URLS, siteSlug: SITE });
    },
    siteUrls: SITE_URLS,
    buildDate,
    clock: systemClock,
    catalogue: catalogue(),
    log: log(),
  };
}
