import { describe, expect, it } from "vitest";
import { connectPayments, isSelling } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { stripePrices, stripeSecrets } from "#tests/support/stripe-double";

const settings = { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: "http://127.0.0.1:1" };

describe("selling", () => {
  it("takes the four variables, and asks nobody", async () => {
    expect(await isSelling(() => connectPayments(settings))).toBe(true);
    for (const name of [...Object.keys(stripeSecrets), ...Object.keys(stripePrices)]) {
      expect(await isSelling(() => connectPayments({ ...settings, [name]: undefined }))).toBe(false);
    }
  });

  it("does not hide a failure that is not about configuration", async () => {
    const fail = () => Promise.reject(new TypeError("a bug"));
    await expect(isSelling(fail)).rejects.toThrow(TypeError);
    expect(await isSelling(() => Promise.reject(new AppError("internal_error", "not configured")))).toBe(false);
  });
});
