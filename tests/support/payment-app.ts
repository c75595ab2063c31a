import { systemClock } from "#lib/platform/clock";
import { type Served, serve } from "./serve";
import { StripeDouble } from "./stripe-double";
import { testKeys } from "./webhook-receivers";

/** An app with payment and webhooks configured. Stopping it stops the provider too. */
export type PaymentApp = Served & {
  stripe: StripeDouble;
  /** Sends a request to the API. */
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** Starts a purchase. Returns the session, and the cookie of the browser that started it. */
  begin: (tier: string) => Promise<{ sessionId: string; cookie: string }>;
  /** Buys a key through the API, as a customer would. */
  buyKey: (tier: "starter" | "pro", email?: string) => Promise<string>;
};

/** Starts an app with payment, and these variables. */
export async function startPaymentApp(
  databaseUrl: string,
  environment: Record<string, string> = {},
): Promise<PaymentApp> {
  const stripe = await StripeDouble.start(systemClock);
  const app = await serve("node", {
    ...stripe.environment,
    ENCRYPTION_KEYS: testKeys.map((key) => key.toString("base64")).join(","),
    DATABASE_URL: databaseUrl,
    CASSETTE_STORE: "none",
    LOG_LEVEL: "info",
    ...environment,
  });
  const stop = async () => {
    await app.stop();
    await stripe.close();
  };
  const post: PaymentApp["post"] = (path, body, headers = {}) =>
    fetch(`${app.origin}${path}`, { method: "POST", body: JSON.stringify(body), headers });
  const begin = async (tier: string) => {
    const checkout = await post("/api/v1/payment/checkout", { tier });
    const sessionId = (await checkout.json()).url.split("/").at(-1);
    return { sessionId, cookie: checkout.headers.get("set-cookie")?.split(";")[0] ?? "" };
  };
  const buyKey: PaymentApp["buyKey"] = async (tier, email) => {
    const { sessionId, cookie } = await begin(tier);
    stripe.state.complete(sessionId, { email });
    const revealed = await post("/api/v1/payment/reveal", { session_id: sessionId }, { cookie });
    return (await revealed.json()).api_key;
  };
  return { ...app, stripe, post, begin, buyKey, stop };
}
