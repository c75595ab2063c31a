import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import {
  callProvider,
  configuredPayments,
  connectPayments,
  findAtProvider,
  type Payments,
} from "#lib/accounts/purchases/payments";
import { systemClock } from "#lib/platform/clock";
import { AppError } from "#lib/platform/errors";
import { errorReply, tapedeckErrors } from "#lib/server/http/reply";
import { StripeDouble, stripePrices, stripeSecrets } from "#tests/support/stripe-double";

let double: StripeDouble;
let payments: Payments;
const tryTimeoutMs = 300;
beforeEach(async () => {
  double = await StripeDouble.start(systemClock);
  payments = await connectPayments(
    { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: double.origin },
    { tryTimeoutMs },
  );
});

const retrieve = () => payments.stripe.subscriptions.retrieve("sub_1");
const thrownBy = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error) => error,
  );

describe("the payment provider", () => {
  test("that is not configured is an error that names each missing variable", async () => {
    const missing = await thrownBy(configuredPayments());
    expect(missing).toMatchObject({
      code: "internal_error",
      message: `Payment is not configured on this server. Set ${[...Object.keys(stripeSecrets), ...Object.keys(stripePrices)].join(", ")}.`,
    });
    const { STRIPE_PRICE_PRO: _pro, ...rest } = { ...stripeSecrets, ...stripePrices, STRIPE_API_URL: double.origin };
    expect((await thrownBy(connectPayments(rest as never))).message).toContain("Set STRIPE_PRICE_PRO.");
  });

  test.each(["down", "cut", "silent"] as const)("that is %s is tried a limited number of times", async (mode) => {
    double.mode = mode;
    const error = await thrownBy(callProvider(retrieve));
    expect(error).toBeInstanceOf(AppError);
    expect([error.code, error.message]).toEqual(["internal_error", expect.stringContaining("did not respond")]);
    expect(double.requests).toHaveLength(3);
  });

  test("that responds without an end times out", async () => {
    double.mode = "trickling";
    const error = await thrownBy(callProvider(retrieve, { callTimeoutMs: 400 }));
    expect([error.code, error.cause.message]).toEqual(["internal_error", expect.stringContaining("400 ms")]);
  });

  test("returns an object, or null if it does not have it", async () => {
    expect(await findAtProvider(retrieve)).toBeNull();
    expect((await thrownBy(callProvider(retrieve))).code).toBe("internal_error");
    double.mode = "down";
    expect((await thrownBy(findAtProvider(retrieve))).code).toBe("internal_error");
  });

  test("a failure logs what is needed, but nothing of the request or the response", async () => {
    double.mode = "down";
    const lines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    errorReply(await thrownBy(callProvider(retrieve)), tapedeckErrors, "request", log);
    expect(lines.join()).toContain("statusCode 500, requestId req_double");
    expect(lines.join()).not.toMatch(/sk_test|whsec_|Bearer|content-type|sub_1/i);
  });
});
