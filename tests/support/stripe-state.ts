import { randomBytes } from "node:crypto";
import type { Clock } from "#lib/platform/clock";
import { newPrice, readStripe, StripeRefusal } from "./stripe-reads";

export type StripeEvent = {
  id: string;
  object: "event";
  api_version: string;
  created: number;
  livemode: false;
  pending_webhooks: number;
  request: null;
  type: string;
  data: { object: Record<string, unknown> };
};

/** What a session sells. */
type Plan = { price: string; metadata: Record<string, string> };

/** Objects as Stripe's API has them. Their fields stand where they are created. */
type Session = ReturnType<StripeState["newSession"]>;
type Subscription = ReturnType<StripeState["newSubscription"]>;
type Invoice = ReturnType<StripeState["newInvoice"]>;

const monthS = 30 * 24 * 60 * 60;
const idOf = (prefix: string) => `${prefix}_${randomBytes(12).toString("hex")}`;
const copyOf = <T>(value: T): T => structuredClone(value);

/** The state of a Stripe account, and methods that simulate customers and time. Each step creates its events. */
export class StripeState {
  readonly sessions = new Map<string, Session>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly invoices = new Map<string, Invoice>();
  readonly customers = new Map<string, { id: string; object: "customer"; email: string; deleted: boolean }>();
  readonly prices = new Map(
    [newPrice("price_starter", 2_900), newPrice("price_pro", 9_900)].map((price) => [price.id, price]),
  );
  /** Opened portal sessions. */
  readonly portals: { customer: string; return_url: string }[] = [];
  /** All events, in order of occurrence; a test takes those that it delivers. */
  readonly events: StripeEvent[] = [];
  /** All events, as Stripe keeps them. */
  readonly history: StripeEvent[] = [];

  constructor(private readonly clock: Clock) {}

  /** Forgets all objects, but not the prices. */
  clear(): void {
    for (const objects of [this.sessions, this.subscriptions, this.invoices, this.customers, this.#plans])
      objects.clear();
    for (const events of [this.events, this.history]) events.length = 0;
  }

  get #now(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }

  /** Returns the response to a request; undefined if the object does not exist. */
  answer(request: string, given: Record<string, unknown>, expand: string[]): unknown {
    if (request.startsWith("GET ")) return readStripe(this, request.slice(4), given, expand);
    if (request === "POST /v1/checkout/sessions") return this.#createSession(given, expand);
    if (request === "POST /v1/billing_portal/sessions") return this.#createPortal(given);
    const [, id = ""] = /^POST \/v1\/checkout\/sessions\/([^/]+)\/expire$/.exec(request) ?? [];
    return this.sessions.has(id) ? this.#expireOpen(id) : undefined;
  }

  #createPortal({ customer, return_url: returnUrl }: Record<string, unknown>): unknown {
    if (this.customers.get(String(customer))?.deleted !== false) return undefined;
    const portal = { customer: String(customer), return_url: String(returnUrl) };
    this.portals.push(portal);
    const url = `https://billing.stripe.com/p/session/${idOf("test")}`;
    return { id: idOf("bps"), object: "billing_portal.session", created: this.#now, livemode: false, ...portal, url };
  }

  newSession(id: string, given: Record<string, unknown>) {
    return {
      id,
      object: "checkout.session",
      mode: "subscription",
      status: "open",
      payment_status: "unpaid",
      client_reference_id: (given.client_reference_id as string | undefined) ?? null,
      customer: null as string | null,
      customer_details: null as { email: string | null } | null,
      subscription: null as string | null,
      created: this.#now,
      expires_at: this.#now + 24 * 60 * 60,
      livemode: false,
      metadata: (given.metadata ?? {}) as Record<string, string>,
      success_url: String(given.success_url),
      cancel_url: String(given.cancel_url),
      url: `https://checkout.stripe.com/c/pay/${id}` as string | null,
    };
  }

  #createSession(given: Record<string, unknown>, expand: string[]): unknown {
    const session = this.newSession(idOf("cs_test"), given);
    const [line] = Object.values(given.line_items as Record<string, { price: string }>);
    const { subscription_data: bought } = given as { subscription_data?: { metadata?: Record<string, string> } };
    this.sessions.set(session.id, session);
    this.#plans.set(session.id, { price: line?.price ?? "", metadata: bought?.metadata ?? {} });
    const data = [{ id: idOf("li"), object: "item", quantity: 1, price: this.prices.get(line?.price ?? "") }];
    return copyOf({ ...session, ...(expand.includes("line_items") && { line_items: { object: "list", data } }) });
  }

  #expireOpen(id: string): Session {
    const session = this.#session(id);
    if (session.status !== "open")
      throw new StripeRefusal("Only Checkout Sessions with a status of open can be expired.");
    this.expire(id);
    return copyOf(session);
  }

  readonly #plans = new Map<string, Plan>();

  #emit(type: string, object: object): StripeEvent {
    const event: StripeEvent = {
      id: idOf("evt"),
      object: "event",
      api_version: "2026-10-28.endive",
      created: this.#now,
      livemode: false,
      pending_webhooks: 1,
      request: null,
      type,
      data: { object: copyOf(object) as Record<string, unknown> },
    };
    this.events.push(event);
    this.history.push(event);
    return event;
  }

  #session(id: string): Session {
    return this.sessions.get(id) as Session;
  }

  /** Returns the subscription of a session. */
  subscriptionOf(sessionId: string): Subscription {
    return this.subscriptions.get(this.#session(sessionId).subscription as string) as Subscription;
  }

  #invoice(subscription: Subscription): Invoice {
    return this.invoices.get(subscription.latest_invoice) as Invoice;
  }

  newInvoice(subscription: string, customer: string) {
    const invoice = {
      id: idOf("in"),
      object: "invoice",
      status: "open",
      created: this.#now,
      customer,
      parent: { type: "subscription_details", subscription_details: { subscription } },
      status_transitions: { finalized_at: this.#now, paid_at: null as number | null },
    };
    this.invoices.set(invoice.id, invoice);
    return invoice;
  }

  #payInvoice(subscription: Subscription): void {
    const invoice = this.#invoice(subscription);
    Object.assign(invoice, { status: "paid" });
    invoice.status_transitions.paid_at = this.#now;
    this.#emit("invoice.paid", invoice);
  }

  newSubscription(id: string, customer: string, { price, metadata }: Plan) {
    const item = {
      id: idOf("si"),
      object: "subscription_item",
      quantity: 1,
      current_period_start: this.#now,
      current_period_end: this.#now + monthS,
      price: { id: price, object: "price", metadata: {} },
    };
    return {
      id,
      object: "subscription",
      status: "incomplete",
      customer,
      created: this.#now,
      livemode: false,
      cancel_at: null as number | null,
      cancel_at_period_end: false,
      canceled_at: null as number | null,
      ended_at: null as number | null,
      items: { object: "list", data: [item] as [typeof item], has_more: false },
      latest_invoice: this.newInvoice(id, customer).id,
      metadata,
    };
  }

  /** The customer completes the page, by card or with a bank transfer that has not arrived yet. */
  complete(sessionId: string, { isDelayed = false, email = "buyer@example.com" } = {}): void {
    const session = this.#session(sessionId);
    const plan = this.#plans.get(sessionId) as Plan;
    const [id, customer] = [idOf("sub"), idOf("cus")];
    const subscription = this.newSubscription(id, customer, plan);
    this.subscriptions.set(id, subscription);
    this.customers.set(customer, { id: customer, object: "customer", email, deleted: false });
    Object.assign(session, { status: "complete", customer, customer_details: { email }, subscription: id, url: null });
    this.#emit("customer.subscription.created", subscription);
    if (!isDelayed) {
      this.#payInvoice(subscription);
      this.change(subscription, { status: "active" });
      session.payment_status = "paid";
    }
    this.#emit("checkout.session.completed", session);
  }

  /** A delayed payment arrives or fails. */
  settleDelayed(sessionId: string, isPaid: boolean): void {
    const session = this.#session(sessionId);
    const subscription = this.subscriptionOf(sessionId);
    if (isPaid) {
      session.payment_status = "paid";
      this.#payInvoice(subscription);
      this.change(subscription, { status: "active" });
    } else this.change(subscription, { status: "incomplete_expired", ended_at: this.#now });
    this.#emit(`checkout.session.async_payment_${isPaid ? "succeeded" : "failed"}`, session);
  }

  #customer(sessionId: string) {
    return this.customers.get(this.subscriptionOf(sessionId).customer) as { email: string; deleted: boolean };
  }

  /** The customer changes the address in the portal. */
  changeEmail(sessionId: string, email: string): void {
    this.#emit("customer.updated", Object.assign(this.#customer(sessionId), { email }));
  }

  /** The operator deletes the customer, which ends the subscription. */
  deleteCustomer(sessionId: string): void {
    this.#customer(sessionId).deleted = true;
    this.end(sessionId);
  }

  /** The customer leaves the page until it expires. */
  expire(sessionId: string): void {
    this.#session(sessionId).status = "expired";
    this.#emit("checkout.session.expired", this.#session(sessionId));
  }

  /** Changes a subscription, with an event. */
  change(subscription: Subscription, change: Partial<Subscription>): void {
    Object.assign(subscription, change);
    this.#emit("customer.subscription.updated", subscription);
  }

  /** The next period starts, and its payment succeeds or fails. */
  renew(sessionId: string, isPaid: boolean): void {
    const subscription = this.subscriptionOf(sessionId);
    const [item] = subscription.items.data;
    Object.assign(item, { current_period_start: this.#now, current_period_end: this.#now + monthS });
    subscription.latest_invoice = this.newInvoice(subscription.id, subscription.customer).id;
    if (isPaid) return this.#payInvoice(subscription);
    this.#emit("invoice.payment_failed", this.#invoice(subscription));
    this.change(subscription, { status: "past_due" });
  }

  /** A retry of the failed payment succeeds. */
  recover(sessionId: string): void {
    const subscription = this.subscriptionOf(sessionId);
    this.#payInvoice(subscription);
    this.change(subscription, { status: "active" });
  }

  /** A retry of the failed payment fails again. */
  failAgain(sessionId: string): void {
    const subscription = this.subscriptionOf(sessionId);
    this.#emit("invoice.payment_failed", this.#invoice(subscription));
    this.change(subscription, {});
  }

  changePrice(sessionId: string, price: string, metadata: Record<string, string> = {}): void {
    const subscription = this.subscriptionOf(sessionId);
    subscription.items.data[0].price = { id: price, object: "price", metadata };
    this.change(subscription, {});
  }

  /** The customer cancels at the end of the period, undoes it, or cancels at a date (in newer billing modes). */
  setCancelled(sessionId: string, isCancelled: boolean, cancelAt: Date | null = null): void {
    const cancel = cancelAt && Math.floor(cancelAt.getTime() / 1_000);
    const change = cancel === null ? { cancel_at_period_end: isCancelled, cancel_at: null } : { cancel_at: cancel };
    this.change(this.subscriptionOf(sessionId), change);
  }

  /** The subscription ends immediately. */
  end(sessionId: string): void {
    const subscription = this.subscriptionOf(sessionId);
    Object.assign(subscription, { status: "canceled", canceled_at: this.#now, ended_at: this.#now });
    this.#emit("customer.subscription.deleted", subscription);
  }

  periodEnd(sessionId: string): Date {
    return new Date(this.subscriptionOf(sessionId).items.data[0].current_period_end * 1_000);
  }
}
