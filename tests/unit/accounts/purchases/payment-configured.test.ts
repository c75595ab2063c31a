import { describe, expect, it } from "vitest";
import { connectPayments, isPaymentConfigured } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { stripePrices, stripeSecrets } from "#tests/support/stripe-double";

const settings = { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: "http://127.0.0.1:1" };

describe("payment is configured", () => {
  it("with all four variables, without calling the provider", async () => {
    expect(await isPaymentConfigured(() => connectPayments(settings))).toBe(true);
    for (const name of [...Object.keys(stripeSecrets), ...Object.keys(stripePrices)]) {
      expect(await isPaymentConfigured(() => connectPayments({ ...settings, [name]: undefined }))).toBe(false);
    }
  });

  it("a failure other than missing configuration is thrown", async () => {
    const fail = () => Promise.reject(new TypeError("a bug"));
    await expect(isPaymentConfigured(fail)).rejects.toThrow(TypeError);
    expect(await isPaymentConfigured(() => Promise.reject(new AppError("internal_error", "not configured")))).toBe(
      false,
    );
  });
});
