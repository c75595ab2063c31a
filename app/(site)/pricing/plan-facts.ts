import { type AccountTier, type Plan, reachesTier, unlimited } from "#lib/accounts/plans/index";

const names: Record<AccountTier, string> = {
  free: "Free",
  starter: "Starter",
  pro: "Pro",
  enterprise: "Enterprise",
  enterprise_plus: "Enterprise plus",
};

const vendorWords: Record<Plan["vendorAccess"], string> = {
  "public-5": "the five public ones",
  all: "all",
  "all-plus-custom": "all, and your own",
};

const count = (value: number, unit = "") =>
  value === unlimited ? "unlimited" : `${value.toLocaleString("en")}${unit && ` ${unit}`}`;

function reportWords({ tier, historyDays }: Plan): string {
  if (!reachesTier(tier, "starter")) return "no";
  return reachesTier(tier, "pro") ? "all" : count(historyDays, "days");
}

/** A tier's name for people. */
export function tierName(tier: AccountTier): string {
  return names[tier];
}

/** What the rows of the price table say of a plan, in the table's order. */
export function planFacts(plan: Plan): { key: string; title: string; text: string }[] {
  return [
    { key: "requests", title: "Requests a day", text: count(plan.requestsPerDay) },
    { key: "vendors", title: "Vendors in the feed", text: vendorWords[plan.vendorAccess] },
    { key: "history", title: "History", text: count(plan.historyDays, "days") },
    { key: "diffs", title: "Changed lines in the feed", text: plan.diffAccess ? "yes" : "counts alone" },
    { key: "content", title: "Raw content by API", text: plan.apiAccess ? "yes" : "no" },
    { key: "reports", title: "Reports of changes", text: reportWords(plan) },
    { key: "webhooks", title: "Webhooks", text: plan.webhooks ? "yes" : "no" },
  ];
}
