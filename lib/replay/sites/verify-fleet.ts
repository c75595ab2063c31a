import { request } from "undici";
import { memberOrigin, type Site, type SiteUrls, sites } from "#lib/contract/sites";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type MemberCheck, writeFleetCheck } from "./store";

/** Timeout of a member's health check, in milliseconds. */
const healthTimeoutMs = 5_000;

type VerifyContext = { origin: string; site: Site; siteUrls: SiteUrls; clock: Clock; database: Database };

/** Throws unless the member is healthy. `<slug>.localhost` is requested at 127.0.0.1, since not all resolvers know it. */
async function checkHealth(origin: string): Promise<void> {
  const url = new URL("/api/v1/health", origin);
  const headers = { host: url.host };
  if (url.hostname.endsWith(".localhost")) url.hostname = "127.0.0.1";
  const signal = AbortSignal.timeout(healthTimeoutMs);
  const { statusCode, body } = await request(url, { headers, signal });
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`health responded with ${statusCode}`);
  }
  const health = (await body.json()) as { status?: unknown };
  if (health.status !== "ok") throw new Error("health status is not ok");
}

async function checkMember(site: Site, { origin, site: current, siteUrls }: VerifyContext): Promise<MemberCheck[]> {
  const address = memberOrigin(site, current, origin, siteUrls);
  if (!address) return [];
  try {
    await checkHealth(address);
    return [{ slug: site.slug, address, status: "live", error: null }];
  } catch (error) {
    return [{ slug: site.slug, address, status: "down", error: (error as Error).message }];
  }
}

/** Checks every member's health and stores the results, unless none answers; the manifest omits members that failed. */
export async function verifyFleet(context: VerifyContext): Promise<MemberCheck[]> {
  const checks = (await Promise.all(sites.map((site) => checkMember(site, context)))).flat();
  // A check that reaches nothing says more of its address than of the members.
  if (checks.some(({ status }) => status === "live"))
    await writeFleetCheck(context.database, checks, context.clock.now());
  return checks;
}
