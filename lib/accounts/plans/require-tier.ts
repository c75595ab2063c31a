import { AppError } from "#lib/platform/errors";
import { type AccountTier, reachesTier } from "./plans";

/** Throws AppError forbidden where a tool's caller is below the tier that it is for. */
export function requireTier({ tier }: { tier: AccountTier }, minimum: "starter" | "pro"): void {
  if (reachesTier(tier, minimum)) return;
  const message = `This needs a key of the ${minimum} tier or a higher one. Call get_pricing for what the tiers offer.`;
  throw new AppError("forbidden", message);
}
