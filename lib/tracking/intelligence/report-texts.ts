import * as z from "zod";
import { compareTexts } from "#lib/tracking/diffs/index";
import { scoreSecurity } from "#lib/tracking/security/index";
import { toReportFields } from "./analysis";
import { analyseByRules } from "./rules/analyse-by-rules";
import { intelligenceReportSchema } from "./schemas";

const scoreSchema = z.int().min(0).max(5);
export const textReportSchema = intelligenceReportSchema
  .omit({ id: true, vendor: true, analysis_mode: true, created_at: true, diff_id: true })
  .extend({
    facts: z.array(z.string()).describe("Values that differ, one sentence each, such as a price or an endpoint."),
    security_score: z.object({ before: scoreSchema, after: scoreSchema }).describe("From 3 on, nothing is quoted."),
  });
export type TextReport = z.infer<typeof textReportSchema>;

/**
 * Returns the rules' report on the change between two texts. Neither is stored or sent anywhere. Links within `domain` are the
 * texts' own for the security score; without it, all links lead elsewhere.
 */
export function reportTexts({ before, after, domain }: { before: string; after: string; domain: string }): TextReport {
  const scoreOf = (text: string) => scoreSecurity(text, { domain }).score;
  const scores = { securityScore: scoreOf(after), previousSecurityScore: scoreOf(before) };
  const comparison = compareTexts(before, after);
  const analysis = analyseByRules({ before, after, comparison, domain, name: domain, ...scores });
  return {
    ...toReportFields(analysis),
    ...(before === after && { summary: "The texts are the same." }),
    facts: analysis.facts ?? [],
    security_score: { before: scores.previousSecurityScore, after: scores.securityScore },
  };
}
