import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { runCli, runCommand } from "#tests/support/run-cli";
import { sharedDatabase } from "#tests/support/shared-database";
import { StripeDouble } from "#tests/support/stripe-double";

const database = sharedDatabase();
let stripe: StripeDouble;
beforeAll(async () => {
  stripe = await StripeDouble.start(systemClock);
});
beforeEach(() => stripe.state.clear());
afterAll(() => stripe.close());

const environment = () => ({
  ...stripe.environment,
  DATABASE_URL: database.url,
  ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString("base64"),
  LOG_LEVEL: "silent",
});
const sync = (...args: string[]) => runCommand(["billing", "sync", ...args], { environment: environment() });

/** Adds a subscription to the provider that the database does not have. */
function addSubscription(id: string, metadata: Record<string, string>, price = "price_pro"): void {
  const subscription = stripe.state.newSubscription(id, `cus_${id}`, { price, metadata });
  stripe.state.subscriptions.set(id, Object.assign(subscription, { status: "active" }));
  const customer = { id: `cus_${id}`, object: "customer" as const, email: `${id}@example.com`, deleted: false };
  stripe.state.customers.set(customer.id, customer);
}

describe("tapedeck billing sync", () => {
  test("recreates a missing account, which then gets a key by its id, and changes nothing twice", async () => {
    const accountId = systemIds.next();
    addSubscription("sub_lost", { tapedeck_account: accountId });
    addSubscription("sub_other", {});
    const dry = await sync("--dry-run");
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout).toContain("2 subscriptions visited, 1 account would be changed, 0 failed.");
    expect(await database.client.account.count()).toBe(0);
    const { code, stdout } = await runCli(["billing", "sync", "--json"], { environment: environment() });
    const changed = { isDryRun: false, visitedCount: 2, changedCount: 1, failedCount: 0, next: null };
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        ...changed,
        subscriptions: [
          { subscriptionId: "sub_other", accountId: null, changes: [], problem: "foreign" },
          { subscriptionId: "sub_lost", accountId, changes: ["account"], problem: null },
        ],
      },
    ]);
    const created = await runCommand(["keys", "create", "--account", accountId], { environment: environment() });
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^ltf_/)]);
    expect((await sync()).stdout).toMatch(/sub_other .*not bought here[\s\S]*, 0 accounts changed, 0 failed\.\n$/);
  });

  test("fails for a price without a tier, and says what to do; also if Stripe refuses the key", async () => {
    addSubscription("sub_priced", { tapedeck_account: systemIds.next() }, "price_old");
    const unknown = await sync();
    expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringMatching(/sub_priced .*STRIPE_PRICE_STARTER/)]);
    const refused = await runCommand(["billing", "sync"], {
      environment: { ...environment(), STRIPE_SECRET_KEY: "sk_test_other" },
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/Invalid API Key.*Run it again/)]);
  });

  test("names the variables that are missing", async () => {
    const { code, stderr } = await runCommand(["billing", "sync"], { environment: { DATABASE_URL: database.url } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("Set STRIPE_SECRET_KEY")]);
  });
});
