import type Stripe from "stripe";
import * as z from "zod";
import { mailboxHashes, storedMailbox } from "#lib/accounts/key-mail/index";
import { hasSubscriptionEnded } from "#lib/accounts/plans/index";
import type { Database } from "#lib/platform/database/index";
import { encryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { fulfilCheckout } from "./fulfil-checkout";
import { accountMetadata, findAtProvider, type Payments, type PurchaseContext, type SoldTier } from "./payments";
import { findCheckout, type PaymentEvent, recordEvent } from "./store";
import {
  findSubscription,
  insertSubscriber,
  isTierOfPayment,
  replaceSubscription,
  type StoredSubscription,
} from "./store-subscriptions";
import {
  endedStatuses,
  failedSince,
  idOf,
  isLiving,
  readSubscription,
  tierAt,
  tierOfPrice,
} from "./subscription-state";

/**
 * Why the state of a subscription could not be stored completely. `inactive`: it has no account, and is not paid or has
 * ended; `unknown_price`: one that is stored keeps its tier.
 */
export type SyncProblem = "foreign" | "inactive" | "unknown_price" | "second" | "missing";

/** What an operator can do about a problem. */
export const problemTexts: Record<SyncProblem, string> = {
  foreign: "it was not bought here: its metadata have no tapedeck_account",
  inactive: "it has no account, and is not paid or has ended",
  unknown_price:
    "its price has no tier: set STRIPE_PRICE_STARTER or STRIPE_PRICE_PRO, or the metadata tier = starter or pro on the price at Stripe; then run tapedeck billing sync",
  second: "its account has another subscription: cancel one of the two at Stripe",
  missing:
    "Stripe does not have it, and its account stays as it is: check that STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are of the same account and mode",
};

/** What differed, or the whole account if the database did not have it. */
export type SyncChange = "account" | (typeof comparedFields)[number] | "accountTier" | "mailbox";

export type SyncResult = { accountId: string | null; changes: SyncChange[]; problem: SyncProblem | null };

const comparedFields = [
  ...["customerId", "tier", "status", "cancelAtPeriodEnd", "currentPeriodEnd", "graceUntil"],
] as const satisfies (keyof StoredSubscription)[];

type Expected = ReturnType<typeof expectedOf>;

function changesOf(stored: StoredSubscription, { next, tier, mailboxHash }: Expected): SyncChange[] {
  const { account } = stored;
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
  const changes: SyncChange[] = comparedFields.filter((field) => textOf(stored[field]) !== textOf(next[field]));
  if (isTierOfPayment(account.tier) && account.tier !== tier) changes.push("accountTier");
  if (account.mailboxHash !== mailboxHash) changes.push("mailbox");
  return changes;
}

type WithCustomer = Pick<Stripe.Subscription, "customer">;

/** Returns the customer's address; null if the customer was not requested, was deleted or has none. */
function addressOf({ customer }: WithCustomer): string | null {
  return typeof customer === "string" || customer.deleted ? null : customer.email;
}

/** Whether an account has a mailbox that is not the customer's, whichever key hashed it: it had one before it bought. */
async function hasOwnMailbox(
  database: Database,
  { accountId, account: { mailboxHash } }: StoredSubscription,
  current: WithCustomer,
): Promise<boolean> {
  if (mailboxHash === null) return false;
  const customers: string[] = mailboxHashes(encryptionKeys() ?? [], addressOf(current) ?? "");
  return !customers.includes(mailboxHash) && (await findCheckout(database, { id: accountId })) === null;
}

type Past = { failedSince: Date | null; includes: Date; now: Date };

/** Returns what should be stored of a subscription. */
function expectedOf(stored: StoredSubscription, current: Stripe.Subscription, { prices }: Payments, past: Past) {
  const boughtTier = stored.tier as SoldTier;
  const next = readSubscription(current, prices, { previous: stored, boughtTier, ...past });
  // Since a subscription has ended, only an operator sets the tier.
  const hadEnded = endedStatuses.includes(stored.status) && endedStatuses.includes(next.status);
  const tier = hadEnded ? stored.account.tier : tierAt(next, past.now);
  return { next, tier, mailboxHash: storedMailbox(addressOf(current)) ?? stored.account.mailboxHash };
}

/**
 * Creates the account of a subscription that is not stored: fulfils its checkout, or recreates the account from the metadata
 * if there is none, as in a restored database. Returns why it could not.
 */
async function addSubscriber(
  context: PurchaseContext,
  { current, isDryRun }: { current: Stripe.Subscription; isDryRun: boolean },
  provider: Payments,
): Promise<SyncProblem | null> {
  const { database, clock, log } = context;
  const { data: accountId } = z.uuid().safeParse(current.metadata[accountMetadata]);
  if (accountId === undefined) return "foreign";
  const checkout = await findCheckout(database, { id: accountId });
  const isOpen = checkout !== null && checkout.fulfilledAt === null;
  if (isOpen && !isDryRun) {
    const { sessionId } = checkout;
    const outcome = sessionId ? await fulfilCheckout(context, { sessionId }, async () => provider) : "open";
    return outcome === "fulfilled" ? null : "inactive";
  }
  if (!isLiving(current)) return "inactive";
  const boughtTier = tierOfPrice(current, provider.prices);
  if (!boughtTier) return "unknown_price";
  const other = await findSubscription(database, { accountId });
  const now = clock.now();
  if (other && !hasSubscriptionEnded(other, now)) return "second";
  if (isDryRun) return null;
  const customer =
    typeof current.customer === "string"
      ? await findAtProvider(() => provider.stripe.customers.retrieve(idOf(current.customer)))
      : current.customer;
  const includes = new Date(current.created * 1_000);
  const past = { previous: null, boughtTier, failedSince: await failedSince(provider, current), includes, now };
  const state = readSubscription(current, provider.prices, past);
  const mailboxHash = customer && storedMailbox(addressOf({ customer }));
  if (await insertSubscriber(database, { accountId, state, mailboxHash, now }))
    log.warn(
      { accountId, tier: state.tier },
      other
        ? "an account got another subscription in place of an ended one"
        : "stored a subscription that the database did not have, and its account if that was missing, too",
    );
  return null;
}

/** Most attempts to store a state while concurrent events change it. */
const maxAttemptCount = 5;

type SyncInput = {
  subscriptionId: string;
  /** An event that said that something changed. One that is older than the stored state changes nothing. */
  event?: PaymentEvent;
  /** The state as it was listed, which is requested again only if it differs from what is stored. */
  listed?: Stripe.Subscription;
  /** Also stores the customer's address. */
  withCustomer?: boolean;
  isDryRun?: boolean;
};

/**
 * Stores the current state of a subscription at the provider, which is requested, because events and lists may be outdated.
 * An account that the database does not have is created. Each attempt is one transaction, and is repeated if the stored
 * state changed meanwhile. Throws AppError internal_error.
 */
export async function syncSubscription(
  context: PurchaseContext,
  { subscriptionId, event, listed, withCustomer = false, isDryRun = false }: SyncInput,
  provider: Payments,
): Promise<SyncResult> {
  const { database, clock, ids, log } = context;
  const finish = async (result: SyncResult) => {
    if (event) await recordEvent(database, event, clock.now());
    return result;
  };
  const params = withCustomer ? { expand: ["customer"] } : {};
  let isNew = false;
  for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
    const stored = await findSubscription(database, { id: subscriptionId });
    const accountId = stored?.accountId ?? null;
    if (event && stored && event.createdAt < stored.stateAt) return finish({ accountId, changes: [], problem: null });
    const isListed = listed !== undefined && attempt === 0;
    const current = isListed
      ? listed
      : await findAtProvider(() => provider.stripe.subscriptions.retrieve(subscriptionId, params));
    if (!current) return finish({ accountId, changes: [], problem: "missing" });
    if (!stored) {
      const problem = await addSubscriber(context, { current, isDryRun }, provider);
      if (problem || isDryRun) return finish({ accountId, changes: problem ? [] : ["account"], problem });
      isNew = true;
      continue;
    }
    const now = clock.now();
    const includes = event?.createdAt ?? stored.stateAt;
    const past = { failedSince: await failedSince(provider, current), includes, now };
    const expected = expectedOf(stored, current, provider, past);
    if (expected.mailboxHash !== stored.account.mailboxHash && (await hasOwnMailbox(database, stored, current)))
      expected.mailboxHash = stored.account.mailboxHash;
    const changes = changesOf(stored, expected);
    const problem = tierOfPrice(current, provider.prices) ? null : "unknown_price";
    const result: SyncResult = { accountId, changes: isNew ? ["account"] : changes, problem };
    if (isDryRun || (changes.length === 0 && !event)) return result;
    if (isListed) continue;
    const tier = await replaceSubscription(database, stored, { ...expected, now, event, ids });
    if (tier === null) continue;
    const isGranted = tier !== expected.tier;
    const message = `a subscription was updated${isGranted ? "; the account keeps the tier that an operator granted" : ""}`;
    log.info({ accountId, tier, status: expected.next.status }, message);
    return result;
  }
  throw new AppError("internal_error", "The subscription changed too often while it was stored. Try again.");
}
