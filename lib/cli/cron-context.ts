import type { CronContext } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { log } from "#lib/platform/log";
import { addressOf } from "./launcher/welcome";

/** Returns the context of a job that runs on this machine. */
export function cronContext(database: Database): CronContext {
  const { BASE_URL, HOST, PORT, SITE_URLS: siteUrls = {} } = config();
  const origin = BASE_URL?.replace(/\/$/, "") ?? addressOf(HOST, PORT);
  return { database, clock: systemClock, ids: systemIds, log: log(), origin, siteUrls };
}
