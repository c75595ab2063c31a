import { describe, expect, it } from "vitest";
import { accountTiers, requireTier } from "#lib/accounts/plans/index";
import { refusalOf } from "#tests/support/call-tool";

describe("the required tier of a tool", () => {
  it("is checked for every caller, and the error names get_pricing", async () => {
    const isRefused = async (tier: (typeof accountTiers)[number], minimum: "starter" | "pro") => {
      try {
        requireTier({ tier }, minimum);
        return false;
      } catch (error) {
        expect(await refusalOf(Promise.reject(error))).toEqual({
          code: "forbidden",
          message: expect.stringMatching(new RegExp(`${minimum} tier.*get_pricing`)),
        });
        return true;
      }
    };
    const refused = async (minimum: "starter" | "pro") =>
      (await Promise.all(accountTiers.map(async (tier) => ((await isRefused(tier, minimum)) ? tier : [])))).flat();
    expect(await refused("starter")).toEqual(["free"]);
    expect(await refused("pro")).toEqual(["free", "starter"]);
  });
});
