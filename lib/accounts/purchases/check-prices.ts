import type Stripe from "stripe";
import { plans } from "#lib/accounts/plans/index";
import { formatCount } from "#lib/platform/format-count";
import { findAtProvider, type Payments, type SoldTier, soldTiers } from "./payments";

/** Formats an amount in the smallest unit of a currency, as `29.00 USD`. */
function formatAmount(amount: number, currency: string): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency.toUpperCase()}`;
}

function describePrice({ unit_amount: amount, currency, recurring }: Stripe.Price): string {
  const { interval_count: count = 1, interval } = recurring ?? {};
  const period = interval === undefined ? "once" : `every ${count === 1 ? interval : formatCount(count, interval)}`;
  return `${amount === null ? "no fixed amount" : formatAmount(amount, currency)} ${period}`;
}

/** Returns how a price differs from what a tier costs; null if it does not. */
export function findPriceProblem(tier: SoldTier, price: Stripe.Price | null): string | null {
  const variable = `STRIPE_PRICE_${tier.toUpperCase()}`;
  if (!price) return `Stripe does not have the price of ${variable}`;
  if (!price.active) return `the price of ${variable} is archived`;
  const { monthlyPriceUsd } = plans[tier];
  const isMonthly = price.recurring?.interval === "month" && price.recurring.interval_count === 1;
  if (isMonthly && price.currency === "usd" && price.unit_amount === monthlyPriceUsd * 100) return null;
  return `the price of ${variable} is ${describePrice(price)}, but ${tier} costs ${formatAmount(monthlyPriceUsd * 100, "usd")} every month`;
}

/** Returns how the configured prices differ from what the tiers cost. Throws AppError internal_error. */
export async function checkPrices({ stripe, prices }: Payments): Promise<string[]> {
  const problems: string[] = [];
  for (const tier of soldTiers) {
    const price = await findAtProvider(() => stripe.prices.retrieve(prices[tier]));
    const problem = findPriceProblem(tier, price);
    if (problem) problems.push(problem);
  }
  return problems;
}
