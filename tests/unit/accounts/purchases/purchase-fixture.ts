import { randomInt } from "node:crypto";
import { pino } from "pino";
import { anonymousCaller, type Caller, verifyKey } from "#lib/accounts/keys/index";
import {
  checkOverdueSubscriptions,
  connectPayments,
  createCheckout,
  getPurchase,
  type Payments,
  prunePurchases,
  receiveEvent,
  revealKey,
  type SyncedSubscription,
  settleSubscriptions,
  settleVendors,
  syncSubscriptions,
} from "#lib/accounts/purchases/index";
import type { Clock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { type SignedEvent, StripeDouble, stripePrices, stripeSecrets } from "#tests/support/stripe-double";
import type { StripeEvent } from "#tests/support/stripe-state";

export const start = new Date("2026-11-21T12:00:00.000Z");
export const origin = "https://replay.example.com";

/** A clock that only advances manually, shared by the service and its payment provider. */
class ManualClock implements Clock {
  current = start;
  now = () => this.current;
  monotonicMs = () => this.current.getTime();
  advance(ms: number): void {
    this.current = new Date(this.current.getTime() + ms);
  }
}

/** A purchase as its browser sees it. */
export type Purchase = { sessionId: string; accountId: string; cookieHeader: string };

/** The purchase verbs with their own database and a double of the payment provider. */
export class PurchaseFixture {
  readonly clock: ManualClock;
  /** Address of the buying client; undefined: each purchase comes from another network. */
  address: string | undefined;
  /** Log lines. */
  readonly logged: string[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly double: StripeDouble,
    private readonly connected: Payments,
    clock: ManualClock,
  ) {
    this.clock = clock;
  }

  static async open(): Promise<PurchaseFixture> {
    const clock = new ManualClock();
    const double = await StripeDouble.start(clock);
    const settings = { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: double.origin };
    const connected = await connectPayments(settings, { tryTimeoutMs: 500 });
    return new PurchaseFixture(await createTestDatabase(), double, connected, clock);
  }

  async close(): Promise<void> {
    await this.double.close();
    await this.database.drop();
  }

  /** Restores the initial state. */
  async reset(): Promise<void> {
    this.clock.current = start;
    this.address = undefined;
    this.double.mode = "fine";
    this.takeEvents();
    const { client } = this.database;
    await client.account.deleteMany();
    await client.checkout.deleteMany();
    await client.paymentEvent.deleteMany();
    await client.limitWindow.deleteMany();
    this.state.clear();
    this.logged.length = 0;
  }

  readonly payments = async () => this.connected;

  get context() {
    const log = pino({ level: "trace" }, { write: (line: string) => void this.logged.push(line) });
    const clientAddress = () =>
      this.address ?? `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;
    return {
      database: this.database.client,
      clock: this.clock,
      ids: systemIds,
      log,
      origin,
      clientAddress,
      caller: anonymousCaller,
    };
  }

  get state() {
    return this.double.state;
  }

  /** Starts a purchase in a new browser, or in one with these cookies, for a new account, or for that of a caller. */
  async begin(
    tier: "starter" | "pro" = "starter",
    cookieHeader: string | null = null,
    caller: Caller = anonymousCaller,
  ): Promise<Purchase> {
    const header = (name: string) => (name === "cookie" ? cookieHeader : null);
    const context = { ...this.context, caller };
    const { checkout, cookie } = await createCheckout(context, { body: { tier }, header }, this.payments);
    const sessionId = checkout.url.split("/").at(-1) as string;
    const accountId = this.state.sessions.get(sessionId)?.client_reference_id as string;
    return { sessionId, accountId, cookieHeader: cookie.split(";")[0] as string };
  }

  /** Returns the new events and clears them. */
  takeEvents(): StripeEvent[] {
    return this.state.events.splice(0);
  }

  receive(event: StripeEvent, signed: SignedEvent = this.double.sign(event)) {
    const header = (name: string) => (name === "stripe-signature" ? signed.signature : null);
    return receiveEvent(this.context, { rawBody: Buffer.from(signed.body), header }, this.payments);
  }

  /** Buys a tier and processes all its events. */
  async buy(tier: "starter" | "pro" = "starter"): Promise<Purchase> {
    const purchase = await this.begin(tier);
    this.state.complete(purchase.sessionId);
    for (const event of this.takeEvents()) await this.receive(event);
    return purchase;
  }

  look({ sessionId, cookieHeader }: Omit<Purchase, "accountId" | "cookieHeader"> & { cookieHeader: string | null }) {
    return getPurchase(this.context, { sessionId, cookieHeader }, this.payments);
  }

  reveal({ sessionId, cookieHeader }: { sessionId: string; cookieHeader: string | null }) {
    return revealKey(this.context, { sessionId, cookieHeader }, this.payments);
  }

  /** Walks all subscriptions of the provider; returns those that differ or have a problem. */
  async sync({ isDryRun = false, after, signal }: { isDryRun?: boolean; after?: string; signal?: AbortSignal } = {}) {
    const reported: SyncedSubscription[] = [];
    const report = (synced: SyncedSubscription) => void reported.push(synced);
    const walk = { isDryRun, after, signal: signal ?? new AbortController().signal, report };
    const { isComplete } = await syncSubscriptions(this.context, walk, this.payments);
    const notable = reported.filter(({ changes, problem }) => changes.length > 0 || problem !== null);
    return { isComplete, visitedCount: reported.length, notable };
  }

  /** Asks the provider about subscriptions whose period has ended; returns how many changed. */
  checkOverdue(limit = 100): Promise<number> {
    return checkOverdueSubscriptions(this.context, { limit, isOver: () => false }, this.payments);
  }

  /** Moves accounts with expired subscriptions to the free tier; returns how many. */
  settle(limit = 100): Promise<number> {
    return settleSubscriptions(this.context, { limit });
  }

  /** Pauses and resumes vendors as the tiers of their accounts say; returns how many. */
  settleVendors(limit = 100): Promise<number> {
    return settleVendors(this.context, { limit });
  }

  prune(before: Date): Promise<number> {
    return prunePurchases(this.context.database, { before, limit: 1_000 });
  }

  callerOf(key: string) {
    return verifyKey(this.context, `Bearer ${key}`);
  }

  async tierOf({ accountId }: { accountId: string }): Promise<string | undefined> {
    const account = await this.database.client.account.findUnique({ where: { id: accountId } });
    return account?.tier;
  }

  subscriptionOf({ accountId }: { accountId: string }) {
    return this.database.client.subscription.findUnique({ where: { accountId } });
  }

  /** Returns what is stored of a purchase, without timestamps. */
  async stored(purchase: { accountId: string }) {
    const { client } = this.database;
    const checkout = await client.checkout.findUniqueOrThrow({ where: { id: purchase.accountId } });
    const subscription = await client.subscription.findUnique({
      where: { accountId: purchase.accountId },
      omit: { createdAt: true, updatedAt: true, stateAt: true },
    });
    return { accountTier: await this.tierOf(purchase), isFulfilled: checkout.fulfilledAt !== null, subscription };
  }
}
