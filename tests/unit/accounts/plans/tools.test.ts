import { expect, it } from "vitest";
import { accountTiers, requireTier } from "#lib/accounts/plans/index";
import { outcomeOf } from "#tests/support/call-tool";

it.each([
  ["starter", ["free"]],
  ["pro", ["free", "starter"]],
] as const)(
  "a tool of the tier %s refuses callers of the tiers %j, and names get_pricing",
  async (minimum, refused) => {
    for (const tier of accountTiers) {
      const outcome = await outcomeOf((async () => requireTier({ tier }, minimum))());
      const isRefused = refused.some((each) => each === tier);
      expect([tier, outcome]).toEqual([
        tier,
        isRefused ? expect.stringMatching(`^forbidden: .*${minimum} tier.*get_pricing`) : "accepted",
      ]);
    }
  },
);
