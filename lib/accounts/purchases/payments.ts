import type Stripe from "stripe";
import { type Config, config } from "#lib/platform/config";
import type { Context } from "#lib/platform/context";
import { AppError } from "#lib/platform/errors";
import { withTimeout } from "#lib/platform/with-timeout";

/** Context of the purchase verbs. */
export type PurchaseContext = Context;

/** The tiers that can be bought; others are free or assigned by an operator. */
export const soldTiers = ["starter", "pro"] as const;
export type SoldTier = (typeof soldTiers)[number];

/** Metadata key of the account id in the provider's objects. */
export const accountMetadata = "tapedeck_account";

/** A client of the payment provider, and the settings that belong to it. */
export type Payments = {
  stripe: Stripe;
  /** Signing secret of its webhook events. */
  webhookSecret: string;
  /** Price ids at the provider. */
  prices: Record<SoldTier, string>;
};

/** Returns the payment provider on demand. Throws AppError internal_error if it is not configured. */
export type PaymentsSource = () => Promise<Payments>;

/** Timeouts of the provider: of a single attempt, and of a call including retries. */
type PaymentTimeouts = { tryTimeoutMs: number; callTimeoutMs: number };
const paymentTimeouts: PaymentTimeouts = { tryTimeoutMs: 8_000, callTimeoutMs: 20_000 };
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

/** Returns the four required settings. Throws AppError internal_error that names the missing ones. */
function requireSettings(settings: Settings): Record<(typeof needed)[number], string> {
  const missing = needed.filter((name) => settings[name] === undefined);
  if (missing.length === 0) return settings as Record<(typeof needed)[number], string>;
  throw new AppError("internal_error", `Payment is not configured on this server. Set ${missing.join(", ")}.`);
}

/** Creates a client of the payment provider. Throws AppError internal_error that names missing settings. */
export async function connectPayments(
  settings: Settings,
  { tryTimeoutMs }: Pick<PaymentTimeouts, "tryTimeoutMs"> = paymentTimeouts,
): Promise<Payments> {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_STARTER, STRIPE_PRICE_PRO } =
    requireSettings(settings);
  const { protocol, hostname, port } = new URL(settings.STRIPE_API_URL);
  const isPlain = protocol === "http:";
  // Loaded only on servers with payment, because it takes a quarter of a second.
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

let connected: { settings: Config; payments: Payments } | undefined;

/** Returns the payment provider of this process. */
export const configuredPayments: PaymentsSource = async () => {
  const settings = config();
  if (connected?.settings === settings) return connected.payments;
  const payments = await connectPayments(settings);
  connected = { settings, payments };
  return payments;
};

/** Returns whether paid tiers are available: the payment provider is configured. Does not call it. */
export async function isPaymentConfigured(payments: PaymentsSource = configuredPayments): Promise<boolean> {
  try {
    await payments();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

type ProviderFailure = { type?: unknown; code?: unknown; statusCode?: unknown; requestId?: unknown; message?: unknown };

/** Returns the loggable part of a failure; the provider's error also contains headers and bodies. */
function describeFailure(thrown: unknown): Error {
  const { type, code, statusCode, requestId, message } = (thrown ?? {}) as ProviderFailure;
  const details = Object.entries({ type, code, statusCode, requestId }).filter(([, value]) => value !== undefined);
  const text = details.map(([name, value]) => `${name} ${value}`).join(", ");
  return new Error(`The payment provider failed: ${message} (${text || "no response"})`);
}

function providerError(thrown: unknown): AppError {
  const message =
    "The payment provider did not respond as expected. This request charged nothing; try again in a minute.";
  return new AppError("internal_error", message, { cause: describeFailure(thrown) });
}

/**
 * Calls the payment provider. The client has its own retries and timeouts, which can add up, so the whole call has a
 * timeout too. Throws AppError internal_error.
 */
export async function callProvider<T>(
  call: () => Promise<T>,
  { callTimeoutMs }: Pick<PaymentTimeouts, "callTimeoutMs"> = paymentTimeouts,
): Promise<T> {
  try {
    return await withTimeout(callTimeoutMs, call);
  } catch (thrown) {
    throw providerError(thrown);
  }
}

const isMissing = (thrown: unknown) => (thrown as ProviderFailure | null)?.code === "resource_missing";

/** Calls the payment provider for an object; null if the provider does not have it. */
export async function findAtProvider<T>(call: () => Promise<T>): Promise<T | null> {
  return callProvider(async () => {
    try {
      return await call();
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw thrown;
    }
  });
}
