import type { Clock } from "#lib/platform/clock";
import { type Config, config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { hourMs, minuteMs } from "#lib/platform/time";
import vercel from "../../../../vercel.json" with { type: "json" };
import type { VendorAddition } from "./schemas";
import { type FoundVendor, findLastFetchRun } from "./store";

/** Workers start the job at least once an hour, and at once if a vendor is due. */
const workerSilenceMs = hourMs + 10 * minuteMs;

/** Returns the minute of the hour at which the platform's cron fetches vendors. */
function cronMinute(): number {
  return Number(vercel.crons.find(({ path }) => path.endsWith("/fetch-vendors"))?.schedule.split(" ")[0]);
}

function nextMinuteOfHour(now: Date, minute: number): Date {
  const thisHour = new Date(now);
  thisHour.setUTCMinutes(minute, 0, 0);
  return thisHour > now ? thisHour : new Date(thisHour.getTime() + hourMs);
}

type FetchedVendor = Pick<FoundVendor, "slug" | "status" | "origin" | "nextFetchAt">;
type FetchSettings = Pick<Config, "VENDOR_FETCHING" | "VERCEL" | "CRON_SECRET">;

function fetchingOffNote(slug: string): string {
  return `Fetching is off on this server. Its operator turns it on with: CRON=on npm run up, or fetches this vendor once with: tapedeck vendors fetch ${slug}`;
}

/** Returns when a vendor is fetched next; `at` is null if nobody is known to fetch it, and `note` says why. */
export async function expectFetch(
  { database, clock }: { database: Database; clock: Clock },
  { slug, status, origin, nextFetchAt }: FetchedVendor,
  { VENDOR_FETCHING, VERCEL, CRON_SECRET }: FetchSettings = config(),
): Promise<VendorAddition["fetch"]> {
  if (origin === "sample") return { at: null, note: "It is a sample, which is never fetched." };
  if (status === "paused") return { at: null, note: "It is paused, and not fetched until the operator resumes it." };
  if (VENDOR_FETCHING === "off") return { at: null, note: fetchingOffNote(slug) };
  const now = clock.now();
  const due = nextFetchAt > now ? nextFetchAt : now;
  if (VERCEL && CRON_SECRET) {
    return { at: nextMinuteOfHour(due, cronMinute()).toISOString(), note: "The cron fetches it then." };
  }
  const last = await findLastFetchRun(database);
  if (!last || now.getTime() - last.getTime() >= workerSilenceMs) {
    return { at: null, note: "No worker runs at the moment. The next run of the job fetch-vendors fetches it." };
  }
  const note = due > now ? "A worker fetches it then." : "A worker fetches it within seconds.";
  return { at: due.toISOString(), note };
}
