import type { IntelligenceCategory } from "#lib/tracking/report-categories/index";
import type { ReadLine } from "../text/read-lines";

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

/** Values by kind: the significance of one that is new or differs, of one that is gone, and their category. */
export const valueKinds = {
  price: { changed: 4, gone: 4, category: ["pricing-change", 82] },
  end: { changed: 4, gone: 4, category: ["deprecation", 90] },
  endpoint: { changed: 3, gone: 3, category: ["api-change", 62] },
  parameter: { changed: 2, gone: 3, category: ["api-change", 50] },
  field: { changed: 2, gone: 2, category: ["api-change", 36] },
  entry: { changed: 2, gone: 3, category: ["api-change", 36] },
  model: { changed: 2, gone: 3, category: ["model-release", 66] },
  version: { changed: 4, gone: 3, category: ["sdk-update", 50] },
  limit: { changed: 2, gone: 3, category: ["api-change", 36] },
} as const satisfies Record<string, { changed: Significance; gone: Significance; category: Weighed }>;
export type ValueKind = keyof typeof valueKinds;

/** A value that a change gives, takes or replaces, verbatim; `old` or `now` is empty if there is none. */
export type ValueFact = {
  kind: ValueKind;
  line: ReadLine;
  subject: string;
  old: string;
  now: string;
  /** Whether it breaks clients: an optional value that is now required, another value of an enumeration. */
  isBreaking?: boolean;
  isPlan?: boolean;
};

/** Facts of a version's texts: whether each has a value anywhere, and whether a section is new or lost as a whole. */
export type ValueContext = {
  isInOlder: (value: string) => boolean;
  isInNewer: (value: string) => boolean;
  isWhole: (path: string) => boolean;
  title: string;
  hadPrices: boolean;
};
