import type Stripe from "stripe";
import type { Clock } from "#lib/platform/clock";
import { type Config, config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { withTimeout } from "#lib/platform/with-timeout";

/** What the verbs of a purchase need. */
export type PurchaseContext = { database: Database; clock: Clock; ids: Ids; log: Log };

/** The tiers that are sold; the others are free or issued by an operator. */
export const soldTiers = ["starter", "pro"] as const;
export type SoldTier = (typeof soldTiers)[number];

/** The payment provider, ready to be asked. */
export type Payments = {
  stripe: Stripe;
  /** What its events are signed with. */
  webhookSecret: string;
  /** Ids of the provider's prices. */
  prices: Record<SoldTier, string>;
};

/** Gives the payment provider when it is first needed. Throws AppError internal_error where it is not configured. */
export type PaymentsSource = () => Promise<Payments>;

/** Longest silence of the provider in one try, and longest time of a call with its retries, in milliseconds. */
export type PaymentTimes = { tryTimeoutMs: number; callTimeoutMs: number };
export const paymentTimes: PaymentTimes = { tryTimeoutMs: 8_000, callTimeoutMs: 20_000 };
const retryCount = 2;

type Settings = Pick<
  Config,
  "STRIPE_SECRET_KEY" | "STRIPE_WEBHOOK_SECRET" | "STRIPE_PRICE_STARTER" | "STRIPE_PRICE_PRO" | "STRIPE_API_URL"
>;

const needed = [
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "STRIPE_PRICE_STARTER",
  "STRIPE_PRICE_PRO",
] as const satisfies (keyof Settings)[];

/** The four variables. Throws AppError internal_error that names those that are missing. */
function requireSettings(settings: Settings): Record<(typeof needed)[number], string> {
  const missing = needed.filter((name) => settings[name] === undefined);
  if (missing.length === 0) return settings as Record<(typeof needed)[number], string>;
  throw new AppError("internal_error", `Payment is not configured here. Set ${missing.join(", ")} on the server.`);
}

/** Connects to the payment provider. Throws AppError internal_error that names what is missing. */
export async function connectPayments(
  settings: Settings,
  { tryTimeoutMs }: Pick<PaymentTimes, "tryTimeoutMs"> = paymentTimes,
): Promise<Payments> {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_STARTER, STRIPE_PRICE_PRO } =
    requireSettings(settings);
  const { protocol, hostname, port } = new URL(settings.STRIPE_API_URL);
  const isPlain = protocol === "http:";
  // Loading it takes a quarter of a second, which what sells nothing is spared.
  const { default: StripeClient } = await import("stripe");
  const stripe = new StripeClient(STRIPE_SECRET_KEY, {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? "http" : "https",
    timeout: tryTimeoutMs,
    maxNetworkRetries: retryCount,
    telemetry: false,
  });
  return {
    stripe,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    prices: { starter: STRIPE_PRICE_STARTER, pro: STRIPE_PRICE_PRO },
  };
}

let current: Payments | undefined;

/** The payment provider of this process. */
export const configuredPayments: PaymentsSource = async () => {
  current ??= await connectPayments(config());
  return current;
};

/** Whether tiers can be bought here: the payment provider is configured. It is not asked whether it answers. */
export async function isSelling(payments: PaymentsSource = configuredPayments): Promise<boolean> {
  try {
    await payments();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

type ProviderFailure = { type?: unknown; code?: unknown; statusCode?: unknown; requestId?: unknown; message?: unknown };

/** What the log may know of a failure: the provider's own error carries headers and bodies. */
function describeFailure(thrown: unknown): Error {
  const { type, code, statusCode, requestId, message } = (thrown ?? {}) as ProviderFailure;
  const facts = Object.entries({ type, code, statusCode, requestId }).filter(([, value]) => value !== undefined);
  const text = facts.map(([name, value]) => `${name} ${value}`).join(", ");
  return new Error(`The payment provider failed: ${message} (${text || "no answer"})`);
}

function refusal(thrown: unknown): AppError {
  const message =
    "The payment provider did not answer as it should. Nothing was charged by this; try again in a minute.";
  return new AppError("internal_error", message, { cause: describeFailure(thrown) });
}

/**
 * Makes one call to the payment provider, which has retries of its own: they can add up, and an answer can trickle, so
 * the whole has a bound too. Throws AppError internal_error.
 */
export async function askProvider<T>(
  call: () => Promise<T>,
  { callTimeoutMs }: Pick<PaymentTimes, "callTimeoutMs"> = paymentTimes,
): Promise<T> {
  try {
    return await withTimeout(callTimeoutMs, call);
  } catch (thrown) {
    throw refusal(thrown);
  }
}

const isMissing = (thrown: unknown) => (thrown as ProviderFailure | null)?.code === "resource_missing";

/** The same for something that the provider may not have: null then. */
export async function findAtProvider<T>(call: () => Promise<T>): Promise<T | null> {
  return askProvider(async () => {
    try {
      return await call();
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw thrown;
    }
  });
}
