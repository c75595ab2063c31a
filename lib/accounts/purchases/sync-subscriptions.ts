import { AppError } from "#lib/platform/errors";
import { dayMs } from "#lib/platform/time";
import {
  configuredPayments,
  findAtProvider,
  isPaymentConfigured,
  type PaymentsSource,
  type PurchaseContext,
} from "./payments";
import { findOtherSubscriptions, findOverdueSubscriptions, touchSubscription } from "./store-subscriptions";
import { problemTexts, type SyncResult, syncSubscription } from "./sync-subscription";

const pageSize = 100;
/** Most subscriptions that one walk visits: 100,000. */
const maxPageCount = 1_000;

/** What was done to one of the provider's subscriptions. */
export type SyncedSubscription = SyncResult & { subscriptionId: string };

type Walk = {
  /** Id of a subscription; those that the provider created before it are visited. Default: all. */
  after?: string | undefined;
  isDryRun: boolean;
  signal: AbortSignal;
  /** Called for each subscription, in order. */
  report: (synced: SyncedSubscription) => void;
};

/** Most stored subscriptions that are reported because the provider does not have them. */
const maxMissingCount = 1_000;

type Visited = { visited: readonly string[]; startedAt: Date } & Pick<Walk, "report">;

async function reportMissing({ database }: PurchaseContext, { visited, startedAt, report }: Visited): Promise<void> {
  const query = { ids: visited, before: startedAt, limit: maxMissingCount };
  for (const { id: subscriptionId, accountId } of await findOtherSubscriptions(database, query))
    report({ subscriptionId, accountId, changes: [], problem: "missing" });
}

/**
 * Makes the accounts what the provider's subscriptions say, newest first: their tiers, periods, customers and the hashes of
 * their addresses. Each account is one transaction, and another run continues where one ended. With `isDryRun` nothing is
 * written. At the end of a whole walk, stored subscriptions that the provider does not have are reported. Returns whether all
 * were visited. Throws AppError internal_error, and bad_request for an unknown `after`.
 */
export async function syncSubscriptions(
  context: PurchaseContext,
  { after, isDryRun, signal, report }: Walk,
  payments: PaymentsSource = configuredPayments,
): Promise<{ isComplete: boolean }> {
  const provider = await payments();
  const startedAt = context.clock.now();
  const visited: string[] = [];
  let last = after;
  for (let pageCount = 0; pageCount < maxPageCount; pageCount += 1) {
    const start = last === undefined ? {} : { starting_after: last };
    const page = await findAtProvider(() =>
      provider.stripe.subscriptions.list({ status: "all", limit: pageSize, expand: ["data.customer"], ...start }),
    );
    if (!page) throw new AppError("bad_request", `The payment provider has no subscription ${last}.`);
    for (const listed of page.data) {
      if (signal.aborted) return { isComplete: false };
      const { id: subscriptionId } = listed;
      const input = { subscriptionId, listed, withCustomer: true, isDryRun };
      report({ subscriptionId, ...(await syncSubscription(context, input, provider)) });
      last = subscriptionId;
      visited.push(subscriptionId);
    }
    if (page.has_more) continue;
    if (after === undefined) await reportMissing(context, { visited, startedAt, report });
    return { isComplete: true };
  }
  return { isComplete: false };
}

/** How long after its end a period is certainly renewed or over at the provider, unless an event got lost. */
const maxEventDelayMs = dayMs;

/**
 * Requests the subscriptions of paid accounts whose period ended more than a day ago, at most `limit`, those that were
 * checked longest ago first, and stores their states: the events of their renewal or end got lost. Returns how many changed.
 * Nothing changes while the provider does not respond, nor for a subscription that it does not have.
 */
export async function checkOverdueSubscriptions(
  context: PurchaseContext,
  { limit, isOver }: { limit: number; isOver: () => boolean },
  payments: PaymentsSource = configuredPayments,
): Promise<number> {
  if (!(await isPaymentConfigured(payments))) return 0;
  const { database, clock, log } = context;
  const provider = await payments();
  const before = new Date(clock.now().getTime() - maxEventDelayMs);
  let changedCount = 0;
  for (const stored of await findOverdueSubscriptions(database, { before, limit })) {
    if (isOver()) break;
    try {
      const { changes, problem } = await syncSubscription(context, { subscriptionId: stored.id }, provider);
      if (changes.length > 0) changedCount += 1;
      else await touchSubscription(database, stored, clock.now());
      if (problem)
        log.warn({ subscriptionId: stored.id, reason: problemTexts[problem] }, "could not check a subscription");
    } catch (error) {
      if (!(error instanceof AppError && error.code === "internal_error")) throw error;
      log.warn(
        { reason: (error.cause as Error | undefined)?.message ?? error.message },
        "could not check subscriptions",
      );
      break;
    }
  }
  return changedCount;
}
