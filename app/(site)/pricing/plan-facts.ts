import { type AccountTier, type Plan, reachesTier, unlimited } from "#lib/accounts/plans/index";

const names: Record<AccountTier, string> = {
  free: "Free",
  starter: "Starter",
  pro: "Pro",
  enterprise: "Enterprise",
  enterprise_plus: "Enterprise plus",
};

const vendorTexts: Record<Plan["vendorAccess"], string> = {
  "public-5": "public vendors",
  all: "all",
  "all-plus-custom": "all, and your own",
};

const count = (value: number, unit = "") =>
  value === unlimited ? "unlimited" : `${value.toLocaleString("en")}${unit && ` ${unit}`}`;

function reportText({ tier, historyDays }: Plan): string {
  if (!reachesTier(tier, "starter")) return "no";
  return reachesTier(tier, "pro") ? "all" : count(historyDays, "days");
}

/** Returns the display name of a tier. */
export function tierName(tier: AccountTier): string {
  return names[tier];
}

/** Returns the columns of the price table for a plan, in order. */
export function planFacts(plan: Plan): { key: string; title: string; text: string }[] {
  return [
    { key: "requests", title: "Requests per day", text: count(plan.requestsPerDay) },
    { key: "vendors", title: "Vendors in the feed", text: vendorTexts[plan.vendorAccess] },
    { key: "history", title: "History", text: count(plan.historyDays, "days") },
    { key: "diffs", title: "Changed lines in the feed", text: plan.diffAccess ? "yes" : "counts only" },
    { key: "content", title: "Raw content via the API", text: plan.apiAccess ? "yes" : "no" },
    { key: "reports", title: "Reports via the API", text: reportText(plan) },
    { key: "webhooks", title: "Webhooks", text: plan.webhooks ? "yes" : "no" },
  ];
}
