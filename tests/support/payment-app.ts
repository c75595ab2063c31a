import { systemClock } from "#lib/platform/clock";
import { serve } from "./serve";
import { StripeDouble } from "./stripe-double";
import { testKeys } from "./webhook-receivers";

/** An app with payment and webhooks configured. */
export type PaymentApp = {
  origin: string;
  stripe: StripeDouble;
  /** Buys a key through the API, as a customer would. */
  buyKey: (tier: "starter" | "pro") => Promise<string>;
  stop: () => Promise<void>;
};

/** Starts an app with payment. It also sends webhooks to `allowedHosts` on the loopback. */
export async function startPaymentApp(databaseUrl: string, allowedHosts: readonly string[] = []): Promise<PaymentApp> {
  const stripe = await StripeDouble.start(systemClock);
  const app = await serve("node", {
    ...stripe.environment,
    ENCRYPTION_KEYS: testKeys.map((key) => key.toString("base64")).join(","),
    OUTBOUND_ALLOWED_HOSTS: allowedHosts.join(","),
    DATABASE_URL: databaseUrl,
    CASSETTE_STORE: "none",
    LOG_LEVEL: "error",
  });
  const stop = async () => {
    await app.stop();
    await stripe.close();
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${app.origin}${path}`, { method: "POST", body: JSON.stringify(body), headers });
  const buyKey = async (tier: string) => {
    const checkout = await post("/api/v1/payment/checkout", { tier });
    const sessionId = (await checkout.json()).url.split("/").at(-1);
    stripe.state.complete(sessionId);
    const cookie = checkout.headers.get("set-cookie")?.split(";")[0] ?? "";
    const revealed = await post("/api/v1/payment/reveal", { session_id: sessionId }, { cookie });
    return (await revealed.json()).api_key as string;
  };
  return { origin: app.origin, stripe, buyKey, stop };
}
