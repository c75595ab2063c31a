import * as z from "zod";

/** Categories of changes, as in the API. */
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

export const intelligenceCategorySchema = z.enum(intelligenceCategories).meta({ id: "IntelligenceCategory" });
export type IntelligenceCategory = z.infer<typeof intelligenceCategorySchema>;
