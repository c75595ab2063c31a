import type { StripeState } from "./stripe-state";

const copyOf = <T>(value: T): T => structuredClone(value);

/** A request that Stripe refuses with 400. */
export class StripeRefusal extends Error {}

export function newPrice(id: string, amount: number) {
  return {
    id,
    object: "price",
    active: true,
    currency: "usd",
    unit_amount: amount as number | null,
    type: "recurring",
    recurring: { interval: "month", interval_count: 1 } as { interval: string; interval_count: number } | null,
    metadata: {} as Record<string, string>,
  };
}

type Given = Record<string, unknown>;

/** Returns a page of a list, newest first, as Stripe does. Undefined if `starting_after` is not in it. */
function pageOf(url: string, all: { id: string }[], { limit = "10", starting_after: after }: Given): unknown {
  const newestFirst = all.toReversed();
  const start = after === undefined ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) return undefined;
  const end = start + Number(limit);
  return { object: "list", url, has_more: end < newestFirst.length, data: copyOf(newestFirst.slice(start, end)) };
}

function expandSubscription(state: StripeState, id: string | null, expand: string[]) {
  const subscription = state.subscriptions.get(id ?? "");
  if (!subscription) return undefined;
  const invoice = expand.includes("latest_invoice") ? state.invoices.get(subscription.latest_invoice) : undefined;
  const customer = expand.includes("customer") ? state.customers.get(subscription.customer) : undefined;
  return copyOf({ ...subscription, ...(invoice && { latest_invoice: invoice }), ...(customer && { customer }) });
}

function expandSession(state: StripeState, id: string, expand: string[]): unknown {
  const session = state.sessions.get(id);
  if (!session) return undefined;
  const below = expand
    .filter((path) => /^subscription\b/.test(path))
    .map((path) => path.replace(/^subscription\.?/, ""));
  const subscription = below.length > 0 ? expandSubscription(state, session.subscription, below) : undefined;
  return copyOf({ ...session, ...(subscription && { subscription }) });
}

function listSubscriptions(state: StripeState, given: Given, expand: string[]): unknown {
  const below = expand.map((path) => path.replace(/^data\./, ""));
  const all = [...state.subscriptions.keys()].map((id) => expandSubscription(state, id, below) as { id: string });
  return pageOf("/v1/subscriptions", all, given);
}

function listInvoices(state: StripeState, given: Given): unknown {
  const { subscription, status } = given;
  const all = [...state.invoices.values()].filter(
    ({ parent, ...invoice }) =>
      parent.subscription_details.subscription === subscription && (!status || invoice.status === status),
  );
  return pageOf("/v1/invoices", all, given);
}

function listEvents(state: StripeState, given: Given): unknown {
  const types = Object.values((given.types ?? {}) as Record<string, string>);
  const { gte = "0", lte = "Infinity" } = (given.created ?? {}) as { gte?: string; lte?: string };
  const all = state.history.filter(
    ({ type, created }) => types.includes(type) && created >= Number(gte) && created <= Number(lte),
  );
  return pageOf("/v1/events", all, given);
}

/** Returns the response to a GET request; undefined if the object does not exist. */
export function readStripe(state: StripeState, path: string, given: Given, expand: string[]): unknown {
  const [, kind = "", id] = /^\/v1\/(checkout\/sessions|[a-z]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (id === undefined) {
    if (kind === "subscriptions") return listSubscriptions(state, given, expand);
    if (kind === "invoices") return listInvoices(state, given);
    return kind === "events" ? listEvents(state, given) : undefined;
  }
  if (kind === "checkout/sessions") return expandSession(state, id, expand);
  if (kind === "subscriptions") return expandSubscription(state, id, expand);
  if (kind === "customers") return copyOf(state.customers.get(id));
  return kind === "prices" ? copyOf(state.prices.get(id)) : undefined;
}
