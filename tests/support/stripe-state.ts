import { randomBytes } from "node:crypto";
import type { Clock } from "#lib/platform/clock";

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
  /** Opened portal sessions. */
  readonly portals: { customer: string; return_url: string }[] = [];
  /** All events, in order of occurrence. */
  readonly events: StripeEvent[] = [];

  constructor(private readonly clock: Clock) {}

  get #now(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }

  /** Returns the response to a request; undefined if the object does not exist. */
  answer(request: string, given: Record<string, unknown>, expand: string[]): unknown {
    const [, id = ""] = /\/([^/]+)$/.exec(request) ?? [];
    if (request === "POST /v1/checkout/sessions") return this.#createSession(given);
    if (request.startsWith("GET /v1/checkout/sessions/")) return this.#expandSession(this.sessions.get(id), expand);
    if (request.startsWith("GET /v1/subscriptions/")) return this.#expand(this.subscriptions.get(id), expand);
    if (request === "GET /v1/invoices") return this.#listInvoices(given);
    if (request === "POST /v1/billing_portal/sessions") return this.#createPortal(given);
    return undefined;
  }

  #createPortal({ customer, return_url: returnUrl }: Record<string, unknown>): unknown {
    const isKnown = [...this.subscriptions.values()].some((subscription) => subscription.customer === customer);
    if (!isKnown) return undefined;
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

  #createSession(given: Record<string, unknown>): Session {
    const session = this.newSession(idOf("cs_test"), given);
    const [line] = Object.values(given.line_items as Record<string, { price: string }>);
    const { subscription_data: data } = given as { subscription_data?: { metadata?: Record<string, string> } };
    this.sessions.set(session.id, session);
    this.#plans.set(session.id, { price: line?.price ?? "", metadata: data?.metadata ?? {} });
    return copyOf(session);
  }

  #listInvoices({ subscription, status }: Record<string, unknown>): unknown {
    const data = [...this.invoices.values()].filter(
      (invoice) =>
        invoice.parent.subscription_details.subscription === subscription && (!status || invoice.status === status),
    );
    return { object: "list", url: "/v1/invoices", has_more: false, data: copyOf(data.reverse()) };
  }

  readonly #plans = new Map<string, Plan>();

  #expand(subscription: Subscription | undefined, expand: string[]): unknown {
    if (!subscription) return undefined;
    const invoice = expand.includes("latest_invoice") ? this.invoices.get(subscription.latest_invoice) : undefined;
    return copyOf({ ...subscription, ...(invoice && { latest_invoice: invoice }) });
  }

  #expandSession(session: Session | undefined, expand: string[]): unknown {
    if (!session) return undefined;
    const below = expand
      .filter((path) => /^subscription\b/.test(path))
      .map((path) => path.replace(/^subscription\.?/, ""));
    const subscription = this.subscriptions.get(session.subscription ?? "");
    const isExpanded = below.length > 0 && subscription;
    return copyOf({ ...session, ...(isExpanded && { subscription: this.#expand(subscription, below) }) });
  }

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
    Object.assign(session, { status: "complete", customer, customer_details: { email }, subscription: id, url: null });
    this.#emit("customer.subscription.created", subscription);
    if (!isDelayed) {
      this.#payInvoice(subscription);
      this.#change(subscription, { status: "active" });
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
      this.#change(subscription, { status: "active" });
    } else this.#change(subscription, { status: "incomplete_expired", ended_at: this.#now });
    this.#emit(`checkout.session.async_payment_${isPaid ? "succeeded" : "failed"}`, session);
  }

  /** The customer leaves the page until it expires. */
  expire(sessionId: string): void {
    this.#session(sessionId).status = "expired";
    this.#emit("checkout.session.expired", this.#session(sessionId));
  }

  #change(subscription: Subscription, change: Partial<Subscription>): void {
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
    this.#change(subscription, { status: "past_due" });
  }

  /** A retry of the failed payment succeeds. */
  recover(sessionId: string): void {
    const subscription = this.subscriptionOf(sessionId);
    this.#payInvoice(subscription);
    this.#change(subscription, { status: "active" });
  }

  /** A retry of the failed payment fails again. */
  failAgain(sessionId: string): void {
    const subscription = this.subscriptionOf(sessionId);
    this.#emit("invoice.payment_failed", this.#invoice(subscription));
    this.#change(subscription, {});
  }

  changePrice(sessionId: string, price: string, metadata: Record<string, string> = {}): void {
    const subscription = this.subscriptionOf(sessionId);
    subscription.items.data[0].price = { id: price, object: "price", metadata };
    this.#change(subscription, {});
  }

  /** The customer cancels at the end of the period, undoes it, or cancels at a date (in newer billing modes). */
  setCancelled(sessionId: string, isCancelled: boolean, cancelAt: Date | null = null): void {
    const cancel = cancelAt && Math.floor(cancelAt.getTime() / 1_000);
    const change = cancel === null ? { cancel_at_period_end: isCancelled, cancel_at: null } : { cancel_at: cancel };
    this.#change(this.subscriptionOf(sessionId), change);
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
