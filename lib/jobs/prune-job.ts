import { pruneKeyLinks } from "#lib/accounts/key-mail/index";
import { pruneLimitWindows } from "#lib/accounts/limits/index";
import { accountTiers, historyStart, plans } from "#lib/accounts/plans/index";
import {
  checkOverdueSubscriptions,
  prunePurchases,
  settleSubscriptions,
  settleVendors,
} from "#lib/accounts/purchases/index";
import { config } from "#lib/platform/config";
import { dayMs, hourMs, minuteMs } from "#lib/platform/time";
import { pruneSessions } from "#lib/server/mcp-sessions/index";
import { pruneNotifications } from "#lib/server/notifications/index";
import { pruneDigests } from "#lib/tracking/digests/index";
import { pruneHostSlots, pruneRobotsRules } from "#lib/tracking/fetching/index";
import { maxFetchWaitMs, pruneFetches, recallFetches } from "#lib/tracking/index";
import { pruneContents, pruneCustomSnapshots, pruneSnapshots } from "#lib/tracking/snapshots/index";
import { maxDeliveryWaitMs, pruneWebhookEvents, recallDeliveries } from "#lib/tracking/webhooks/index";
import type { CronJob, RunContext } from "./job";
import { deleteRuns, pruneRunDays, readDatabaseTime } from "./store";

/** How long records of runs and their days, webhook events and purchases are kept. */
const recordRetentionMs = 90 * dayMs;
/** Yesterday's window is kept too, because another instance's clock may be behind. */
const windowRetentionMs = 2 * dayMs;
/** Longer than the idle time of a session, so that a client that reconnects misses nothing. */
const notificationRetentionMs = 2 * dayMs;
/** Longer than the time between two mails of a weekly digest. Older changes are not mailed. */
const itemRetentionMs = 14 * dayMs;
/** Rows deleted per statement, so that none holds its locks for long. */
const batchSize = 1_000;
/** Subscriptions that one run requests of the payment provider. */
const maxCheckCount = 50;

const isOver = ({ clock, deadlineMs, signal }: RunContext) => signal.aborted || clock.monotonicMs() >= deadlineMs;

/** Deletes batches until nothing is left or the time is up. Returns the number of rows deleted. */
async function deleteAll(context: RunContext, deleteBatch: () => Promise<number>): Promise<number> {
  let total = 0;
  while (!isOver(context)) {
    const count = await deleteBatch();
    total += count;
    if (count === 0) break;
  }
  return total;
}

/** The vendors of an account keep the history of its tier. While the tier includes none, they keep that of pro. */
function customHistoryStarts(now: Date): { tier: string; before: Date }[] {
  return accountTiers.flatMap((tier) => {
    const before = historyStart(plans[tier].vendorAccess === "all-plus-custom" ? plans[tier] : plans.pro, now);
    return before ? [{ tier, before }] : [];
  });
}

/** How far a machine's clock may be ahead of the database's. */
const maxClockAheadMs = dayMs;

/** Throws if the clock is far ahead: what is in its retention would be deleted. */
async function requireClock({ database, clock }: RunContext): Promise<void> {
  const aheadMs = clock.now().getTime() - (await readDatabaseTime(database)).getTime();
  if (aheadMs <= maxClockAheadMs) return;
  const days = Math.round(aheadMs / dayMs);
  throw new Error(
    `This machine's clock is ${days} days ahead of the database's. Nothing was deleted. Correct the clock.`,
  );
}

export const pruneJob: CronJob = {
  name: "prune",
  description:
    "deletes data past its retention, ends tiers whose paid period is over, and corrects times of a clock that was ahead",
  // Hourly, because expired tiers end here too.
  everyMs: hourMs,
  budgetMs: 2 * minuteMs,
  callsInternet: false,
  run: async (context) => {
    const { database, clock, ids } = context;
    await requireClock(context);
    const ago = (ageMs: number) => new Date(clock.now().getTime() - ageMs);
    const history = { before: ago(config().HISTORY_RETENTION_DAYS * dayMs), limit: batchSize };
    const fetches = { before: ago(config().FETCH_RETENTION_DAYS * dayMs), limit: batchSize };
    const records = { before: ago(recordRetentionMs), limit: batchSize };
    return {
      snapshots: await deleteAll(context, () => pruneSnapshots(database, history)),
      custom_snapshots: await deleteAll(context, () =>
        pruneCustomSnapshots(database, { historyStarts: customHistoryStarts(clock.now()), limit: batchSize }),
      ),
      contents: await deleteAll(context, () => pruneContents(database, batchSize)),
      fetches: await deleteAll(context, () => pruneFetches(database, fetches)),
      recalled_vendors: await recallFetches(database, { now: clock.now(), latest: ago(-maxFetchWaitMs) }),
      recalled_deliveries: await recallDeliveries(database, { now: clock.now(), latest: ago(-maxDeliveryWaitMs) }),
      host_slots: await pruneHostSlots(database, ago(dayMs)),
      robots_rules: await pruneRobotsRules(database, clock.now()),
      runs: await deleteAll(context, () => deleteRuns(database, records.before, records.limit)),
      run_days: await pruneRunDays(database, records.before),
      webhook_events: await deleteAll(context, () => pruneWebhookEvents(database, records)),
      digests: await deleteAll(context, () =>
        pruneDigests(database, {
          now: clock.now(),
          before: { disabled: records.before, mails: records.before, items: ago(itemRetentionMs) },
          limit: batchSize,
        }),
      ),
      mcp_sessions: await deleteAll(context, () => pruneSessions({ database, clock }, batchSize)),
      notifications: await deleteAll(context, () =>
        pruneNotifications(database, { before: ago(notificationRetentionMs), limit: batchSize }),
      ),
      purchases: await deleteAll(context, () => prunePurchases(database, records)),
      key_links: await deleteAll(context, () => pruneKeyLinks(database, { now: clock.now(), limit: batchSize })),
      ended_tiers: await deleteAll(context, () => settleSubscriptions({ database, clock, ids }, { limit: batchSize })),
      settled_vendors: await deleteAll(context, () => settleVendors({ database, clock, ids }, { limit: batchSize })),
      limit_windows: await deleteAll(context, () =>
        pruneLimitWindows(database, { before: ago(windowRetentionMs), limit: batchSize }),
      ),
      // Last, because the provider may be slow.
      corrected_subscriptions: await checkOverdueSubscriptions(context, {
        limit: maxCheckCount,
        isOver: () => isOver(context),
      }),
    };
  },
};
