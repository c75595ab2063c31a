import { checkEvents, checkPrices, connectPayments, isPaymentConfigured } from "#lib/accounts/purchases/index";
import { systemClock } from "#lib/platform/clock";
import { commandLine } from "#lib/platform/command-line";
import type { Config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { type Check, fail, ok, warn } from "./check";

/** What to do if Stripe does not answer a check. */
export const paymentAdvice =
  "check STRIPE_SECRET_KEY; a restricted key needs read access to Prices and Events for this check";

async function connect(settings: Config, tryTimeoutMs: number) {
  const payments = () => connectPayments(settings, { tryTimeoutMs });
  return (await isPaymentConfigured(payments)) ? payments() : null;
}

/** Checks that the configured prices are what /pricing says. No result if payment is not configured. */
export async function checkPaymentPrices(settings: Config, timeoutMs: number): Promise<Check[]> {
  const name = "payment-prices";
  const payments = await connect(settings, timeoutMs);
  if (!payments) return [];
  const problems = await checkPrices(payments);
  if (problems.length === 0) return [ok(name, "both prices at Stripe are what /pricing says")];
  return [fail(name, problems.join("; "), "set it to an active monthly price in USD with the amount of the tier")];
}

/** Checks that Stripe's events arrive. No result if payment is not configured. */
export async function checkPaymentEvents(settings: Config, database: Database, timeoutMs: number): Promise<Check[]> {
  const name = "payment-events";
  const payments = await connect(settings, timeoutMs);
  if (!payments) return [];
  const { count, missedCount, newestMissed } = await checkEvents(payments, { database, now: systemClock.now() });
  const sync = `run ${commandLine("billing sync")}`;
  if (newestMissed) {
    const { type, createdAt } = newestMissed;
    const seen = `the newest event of Stripe, ${type} of ${createdAt.toISOString()}, was not received`;
    const advice = `check STRIPE_WEBHOOK_SECRET, and the URL and the deliveries of the event destination in Stripe; then ${sync}`;
    return [fail(name, seen, advice)];
  }
  const compared = `${count} newest events of the last 3 days`;
  if (missedCount > 0) return [warn(name, `${missedCount} of Stripe's ${compared} were not received`, sync)];
  return [ok(name, count === 0 ? "Stripe had no events to send in the last 3 days" : `all ${compared} were received`)];
}
