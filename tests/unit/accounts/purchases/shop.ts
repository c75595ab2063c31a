import { pino } from "pino";
import { verifyKey } from "#lib/accounts/keys/index";
import {
  connectPayments,
  createCheckout,
  getPurchase,
  type Payments,
  prunePurchases,
  receiveEvent,
  revealKey,
  settleSubscriptions,
} from "#lib/accounts/purchases/index";
import type { Clock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { type SignedEvent, StripeDouble, stripePrices, stripeSecrets } from "#tests/support/stripe-double";
import type { StripeEvent } from "#tests/support/stripe-state";

export const hourMs = 60 * 60 * 1_000;
export const dayMs = 24 * hourMs;
export const start = new Date("2026-11-21T12:00:00.000Z");
export const origin = "https://replay.example.com";

/** A clock that stands until it is moved, for the service and for its payment provider. */
class StandingClock implements Clock {
  current = start;
  now = () => this.current;
  monotonicMs = () => this.current.getTime();
  pass(ms: number): void {
    this.current = new Date(this.current.getTime() + ms);
  }
}

/** A purchase as its browser knows it. */
export type Purchase = { sessionId: string; accountId: string; cookieHeader: string };

/** The purchase verbs on a database of their own, beside the double of the payment provider. */
export class Shop {
  readonly clock: StandingClock;
  /** What was logged, line by line. */
  readonly logged: string[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly double: StripeDouble,
    private readonly connected: Payments,
    clock: StandingClock,
  ) {
    this.clock = clock;
  }

  static async open(): Promise<Shop> {
    const clock = new StandingClock();
    const double = await StripeDouble.start(clock);
    const settings = { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: double.origin };
    const connected = await connectPayments(settings, { tryTimeoutMs: 500 });
    return new Shop(await createTestDatabase(), double, connected, clock);
  }

  async close(): Promise<void> {
    await this.double.close();
    await this.database.drop();
  }

  /** As it was when it was opened. */
  async reset(): Promise<void> {
    this.clock.current = start;
    this.double.mode = "fine";
    this.takeEvents();
    const { client } = this.database;
    await client.account.deleteMany();
    await client.checkout.deleteMany();
    await client.paymentEvent.deleteMany();
  }

  readonly payments = async () => this.connected;

  get context() {
    const log = pino({ level: "trace" }, { write: (line: string) => void this.logged.push(line) });
    return { database: this.database.client, clock: this.clock, ids: systemIds, log, origin };
  }

  get state() {
    return this.double.state;
  }

  /** Begins a purchase in a browser that holds nothing yet, or what it got before. */
  async begin(tier: "starter" | "pro" = "starter", cookieHeader: string | null = null): Promise<Purchase> {
    const header = (name: string) => (name === "cookie" ? cookieHeader : null);
    const { checkout, cookie } = await createCheckout(this.context, { body: { tier }, header }, this.payments);
    const sessionId = checkout.url.split("/").at(-1) as string;
    const accountId = this.state.sessions.get(sessionId)?.client_reference_id as string;
    return { sessionId, accountId, cookieHeader: cookie.split(";")[0] as string };
  }

  /** The events that came since, taken away. */
  takeEvents(): StripeEvent[] {
    return this.state.events.splice(0);
  }

  receive(event: StripeEvent, signed: SignedEvent = this.double.sign(event)) {
    const header = (name: string) => (name === "stripe-signature" ? signed.signature : null);
    return receiveEvent(this.context, { rawBody: Buffer.from(signed.body), header }, this.payments);
  }

  /** Buys a tier and takes in all its events. */
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

  /** Ends tiers whose time is over; gives how many. */
  settle(limit = 100): Promise<number> {
    return settleSubscriptions(this.context, { limit });
  }

  prune(before: Date): Promise<number> {
    return prunePurchases(this.context, { before, limit: 1_000 });
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

  /** What is stored of a purchase, but the times at which it was. */
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
