import * as z from "zod";
import { compareTexts } from "#lib/tracking/diffs/index";
import { scoreSecurity } from "#lib/tracking/security/index";
import { intelligenceCategorySchema, toReportFields } from "./analysis";
import { analyseByRules } from "./rules/analyse-by-rules";

const scoreSchema = z.int().min(0).max(5);
const lists = z.array(z.string());

export const textReportSchema = z.object({
  significance: z.int().min(1).max(5).describe("From 1 (trivial formatting) to 5 (breaking API change)."),
  categories: z.array(intelligenceCategorySchema),
  summary: z.string(),
  key_quotes: lists.describe("Verbatim, from the newer text, or from the older one if nothing was added."),
  facts: lists.describe("Values that differ, one sentence each, such as a price or an endpoint."),
  sections_added: lists.describe("Heading paths, such as `Guides > Authentication`."),
  sections_removed: lists,
  sections_modified: lists,
  byte_size_change_pct: z.number(),
  security_score: z.object({ before: scoreSchema, after: scoreSchema }).describe("From 3 on, nothing is quoted."),
});
export type TextReport = z.infer<typeof textReportSchema>;

/**
 * Returns the rules' report on the change between two texts. Neither is stored or sent anywhere. Links within `domain` are the
 * texts' own for the security score; without it, all links lead elsewhere.
 */
export function reportTexts({ before, after, domain }: { before: string; after: string; domain: string }): TextReport {
  const [previousSecurityScore, securityScore] = [before, after].map(
    (text) => scoreSecurity(text, { domain }).score,
  ) as [number, number];
  const scores = { securityScore, previousSecurityScore };
  const comparison = compareTexts(before, after);
  const analysis = analyseByRules({ before, after, comparison, domain, name: domain, ...scores });
  return {
    ...toReportFields(analysis),
    ...(before === after && { summary: "The texts are the same." }),
    facts: analysis.facts ?? [],
    security_score: { before: previousSecurityScore, after: securityScore },
  };
}
