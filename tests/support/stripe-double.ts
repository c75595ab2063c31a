import type { IncomingMessage, ServerResponse } from "node:http";
import Stripe from "stripe";
import type { Clock } from "#lib/platform/clock";
import { deferred } from "./deferred";
import { LoopbackServer, readBody, sendJson } from "./loopback-server";
import { StripeRefusal } from "./stripe-reads";
import { type StripeEvent, StripeState } from "./stripe-state";

/** Fake secrets, which tests search for in logs. */
export const stripeSecrets = {
  STRIPE_SECRET_KEY: "sk_test_tapedeckDouble0123456789",
  STRIPE_WEBHOOK_SECRET: "whsec_tapedeckDouble0123456789",
};
export const stripePrices = { STRIPE_PRICE_STARTER: "price_starter", STRIPE_PRICE_PRO: "price_pro" };

/**
 * Behaviour of the double: normal, responding with 500, closing the connection, never responding, processing requests but
 * losing the first response, or sending a response byte by byte without an end.
 */
export type StripeMode = "fine" | "down" | "cut" | "silent" | "lossy" | "trickling";

/** A delayed response; `arrived` resolves when the request was processed. */
export type HeldAnswer = { arrived: Promise<void>; release: () => void };

/** A delivered event: the exact bytes, and their signature header. */
export type SignedEvent = { body: string; signature: string };

type SigningOptions = { at?: Date; secret?: string };
const { STRIPE_WEBHOOK_SECRET: webhookSecret } = stripeSecrets;

/** Parses the form field `a[b][0]=c` as `{a: {b: {0: "c"}}}`. */
function parseForm(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll("]", "").split("[");
    let place = root;
    for (const part of path.slice(0, -1)) {
      place[part] ??= {};
      place = place[part] as Record<string, unknown>;
    }
    place[path.at(-1) as string] = value;
  }
  return root;
}

/**
 * The part of Stripe's HTTP API that purchases need, on a loopback port: checkout sessions, subscriptions, customers, prices
 * and the portal, with idempotency keys, expanded fields, and signed events. `state` holds its objects and simulates customers.
 */
export class StripeDouble extends LoopbackServer {
  mode: StripeMode = "fine";
  /** Received requests, as `METHOD /path`. */
  readonly requests: string[] = [];
  readonly state: StripeState;
  readonly #answers = new Map<string, { status: number; value: unknown }>();
  #held: { start: string; arrive: () => void; released: Promise<void> } | undefined;

  private constructor(readonly clock: Clock) {
    super();
    this.state = new StripeState(clock);
  }

  static start(clock: Clock): Promise<StripeDouble> {
    return new StripeDouble(clock).start();
  }

  /** Environment variables for the app. */
  get environment(): Record<string, string> {
    return { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: this.origin };
  }

  /** Processes the next such request, but delays its response until it is released. */
  holdNext(start: string): HeldAnswer {
    const [arrived, released] = [deferred(), deferred()];
    this.#held = { start, arrive: arrived.resolve, released: released.promise };
    return { arrived: arrived.promise, release: () => released.resolve() };
  }

  async #waitIfHeld(request: string): Promise<void> {
    const held = this.#held;
    if (!held || !request.startsWith(held.start)) return;
    this.#held = undefined;
    held.arrive();
    await held.released;
  }

  /** Signs an event as Stripe does; by default with the current time and the right secret. */
  sign(event: StripeEvent, options: SigningOptions = {}): SignedEvent {
    return this.signText(JSON.stringify(event, null, 2), options);
  }

  /** Signs any body. */
  signText(body: string, { at = this.clock.now(), secret = webhookSecret }: SigningOptions = {}): SignedEvent {
    const timestamp = Math.floor(at.getTime() / 1_000);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
    return { body, signature };
  }

  /** Sends an event to an app and returns the response status. */
  async deliver(url: string, event: StripeEvent): Promise<number> {
    const { body, signature } = this.sign(event);
    const headers = { "content-type": "application/json; charset=utf-8", "stripe-signature": signature };
    const answer = await fetch(url, { method: "POST", headers, body });
    await answer.arrayBuffer();
    return answer.status;
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = String(await readBody(request));
    response.setHeader("request-id", "req_double");
    const { method = "GET", url = "/", headers } = request;
    this.requests.push(`${method} ${url.split("?")[0]}`);
    if (this.mode === "cut") return void request.socket.destroy();
    if (this.mode === "silent") return;
    if (this.mode === "trickling") return trickle(response);
    if (this.mode === "down") return sendError(response, 500, "api_error", "Something is wrong on our end.");
    if (headers.authorization !== `Bearer ${stripeSecrets.STRIPE_SECRET_KEY}`) {
      return sendError(response, 401, "invalid_request_error", "Invalid API Key provided");
    }
    const key = headers["idempotency-key"] as string | undefined;
    const { status, value } = this.#once(key, () => this.#reply(method, url, body));
    await this.#waitIfHeld(`${method} ${url}`);
    if (this.mode === "lossy") {
      this.mode = "fine";
      return void request.socket.destroy();
    }
    sendJson(response, status, value);
  }

  #once(key: string | undefined, answer: () => { status: number; value: unknown }) {
    const before = key === undefined ? undefined : this.#answers.get(key);
    if (before) return before;
    const created = answer();
    if (key !== undefined) this.#answers.set(key, created);
    return created;
  }

  #reply(method: string, target: string, body: string): { status: number; value: unknown } {
    const url = new URL(target, this.origin);
    const given = method === "GET" ? parseForm(url.search.slice(1)) : parseForm(body);
    const expand = Object.values((given.expand ?? {}) as Record<string, string>);
    try {
      const value = this.state.answer(`${method} ${url.pathname}`, given, expand);
      if (value !== undefined) return { status: 200, value };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return { status: 400, value: { error: { type: "invalid_request_error", message: error.message } } };
    }
    const message = `No such object: '${url.pathname.split("/").at(-1)}'`;
    return { status: 404, value: { error: { type: "invalid_request_error", code: "resource_missing", message } } };
  }
}

function sendError(response: ServerResponse, status: number, type: string, message: string): void {
  sendJson(response, status, { error: { type, message } });
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 10);
  response.on("close", () => clearInterval(timer));
}
