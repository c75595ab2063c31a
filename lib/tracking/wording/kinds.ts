import type { IntelligenceCategory } from "#lib/tracking/report-categories/index";

export type Significance = 1 | 2 | 3 | 4 | 5;
/** A category, and how much it matters beside others. */
export type Weighed = readonly [IntelligenceCategory, number];

/** Announcements by kind, most important first: how their sentence begins, their significance, and their category. */
export const announcementKinds = {
  breaking: { opening: "Announces a breaking change", significance: 5, category: ["api-change", 92] },
  advisory: { opening: "Includes a security notice", significance: 4, category: ["security-advisory", 100] },
  deprecation: { opening: "Announces a deprecation or shutdown", significance: 4, category: ["deprecation", 90] },
  access: { opening: "Changes access requirements", significance: 4, category: ["api-change", 85] },
  change: { opening: "Announces a change for clients", significance: 4, category: ["api-change", 85] },
  pricing: { opening: "Announces a change of prices", significance: 4, category: ["pricing-change", 80] },
  model: { opening: "Announces a model", significance: 3, category: ["model-release", 70] },
  feature: { opening: "Announces something new", significance: 3, category: ["new-feature", 58] },
  fix: { opening: "Mentions a fix", significance: 1, category: ["bug-fix", 60] },
} as const satisfies Record<string, { opening: string; significance: Significance; category: Weighed }>;
export type AnnouncementKind = keyof typeof announcementKinds;
