import { pruneLimitWindows } from "#lib/accounts/limits/index";
import { prunePurchases, settleSubscriptions } from "#lib/accounts/purchases/index";
import { config } from "#lib/platform/config";
import { dayMs, hourMs } from "#lib/platform/time";
import { pruneSessions } from "#lib/server/mcp-sessions/index";
import { pruneNotifications } from "#lib/server/notifications/index";
import { pruneFetches } from "#lib/tracking/index";
import { pruneContents, pruneSnapshots } from "#lib/tracking/snapshots/index";
import { pruneWebhookEvents } from "#lib/tracking/webhooks/index";
import type { CronJob, RunContext } from "../job";
import { deleteRuns } from "../store";

/** How long operators can read what runs and fetches did. */
const recordRetentionMs = 90 * dayMs;
/** A window of yesterday may still be asked for by a clock that goes late. */
const windowRetentionMs = 2 * dayMs;
/** Longer than a session waits for its client, so that one which comes back has missed nothing. */
const notificationRetentionMs = 2 * dayMs;
/** Rows that one statement deletes, so that none holds its locks for long. */
const batchSize = 1_000;

/** Deletes batch by batch until nothing is left or the time is up; gives the number of rows. */
async function drain({ clock, deadlineMs, signal }: RunContext, deleteBatch: () => Promise<number>): Promise<number> {
  let total = 0;
  while (!signal.aborted && clock.monotonicMs() < deadlineMs) {
    const count = await deleteBatch();
    total += count;
    if (count === 0) break;
  }
  return total;
}

export const pruneJob: CronJob = {
  name: "prune",
  description: "deletes what has passed its retention, and ends tiers whose paid time is over",
  // Tiers end by it too, and those should not outlive their time by much.
  everyMs: hourMs,
  budgetMs: 2 * 60 * 1_000,
  callsInternet: false,
  run: async (context) => {
    const { database, clock } = context;
    const ago = (ageMs: number) => new Date(clock.now().getTime() - ageMs);
    const history = { before: ago(config().HISTORY_RETENTION_DAYS * dayMs), limit: batchSize };
    const records = { before: ago(recordRetentionMs), limit: batchSize };
    return {
      snapshots: await drain(context, () => pruneSnapshots(database, history)),
      contents: await drain(context, () => pruneContents(database, batchSize)),
      fetches: await drain(context, () => pruneFetches(database, records)),
      runs: await drain(context, () => deleteRuns(database, records.before, records.limit)),
      webhook_events: await drain(context, () => pruneWebhookEvents(database, records)),
      mcp_sessions: await drain(context, () => pruneSessions({ database, clock }, batchSize)),
      notifications: await drain(context, () =>
        pruneNotifications(database, { before: ago(notificationRetentionMs), limit: batchSize }),
      ),
      purchases: await drain(context, () => prunePurchases({ database }, records)),
      ended_tiers: await drain(context, () => settleSubscriptions({ database, clock }, { limit: batchSize })),
      limit_windows: await drain(context, () => pruneLimitWindows({ database }, { before: ago(windowRetentionMs) })),
    };
  },
};
