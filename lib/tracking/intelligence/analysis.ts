import { z } from "zod";

/** What a change can be about, the contract's values. */
export const intelligenceCategories = [
  "new-feature",
  "deprecation",
  "pricing-change",
  "docs-restructure",
  "api-change",
  "sdk-update",
  "model-release",
  "security-advisory",
  "bug-fix",
  "content-expansion",
  "content-reduction",
  "formatting-only",
] as const;

export const intelligenceCategorySchema = z
  .enum(intelligenceCategories)
  .meta({ id: "IntelligenceCategory", description: "What a change is about." });
export type IntelligenceCategory = z.infer<typeof intelligenceCategorySchema>;

/** What became of a vendor's file. */
export type Change = {
  /** Null for a first version. */
  before: string | null;
  after: string;
  /** The vendor's own. */
  domain: string;
  /** The vendor's name. */
  name: string;
  /** Null for a first version. */
  comparison: {
    linesAdded: number;
    linesRemoved: number;
    linesMoved: number;
    /** Absolute http(s) URLs. */
    linksAdded: string[];
    linksRemoved: string[];
    exact: boolean;
    /** Unified diff without file headers. */
    text: string;
  } | null;
  /** Of the newer text, 0 to 5. */
  securityScore: number;
};

/** What a change means. */
export type Analysis = {
  /** One to three sentences, at most 500 characters. */
  summary: string;
  /** 1 (trivial) to 5. */
  significance: 1 | 2 | 3 | 4 | 5;
  /** At least one, the weightiest first. */
  categories: IntelligenceCategory[];
  /** Heading paths such as `Guides > Authentication`. */
  sectionsAdded: string[];
  sectionsRemoved: string[];
  sectionsModified: string[];
  /** Substrings of the newer text; where nothing was added, of the older one. */
  keyQuotes: string[];
  /** By bytes of UTF-8, with two decimals; 0 for a first version. */
  byteSizeChangePct: number;
};
