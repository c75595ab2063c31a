import { type Config, config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import { dayMs } from "#lib/platform/time";
import { getVendorFacts } from "../store";

/** A scheduler that has fetched nothing for this long counts as switched off: some run a job once a day. */
const silenceMs = 2 * dayMs;

type FetchingSettings = Pick<Config, "VENDOR_FETCHING" | "VERCEL" | "CRON_SECRET">;

/**
 * Whether vendors' files are fetched on a schedule: as VENDOR_FETCHING says; without it, on Vercel if it has the secret of its
 * cron requests, and elsewhere if a file was fetched, by any machine, in the last two days.
 */
export async function isFetchingScheduled(
  context: Pick<Context, "database" | "clock">,
  { VENDOR_FETCHING, VERCEL, CRON_SECRET }: FetchingSettings = config(),
): Promise<boolean> {
  if (VENDOR_FETCHING !== undefined) return VENDOR_FETCHING === "on";
  if (VERCEL && CRON_SECRET) return true;
  const { lastFetchedAt } = await getVendorFacts(context);
  return lastFetchedAt !== null && context.clock.now().getTime() - lastFetchedAt.getTime() < silenceMs;
}
