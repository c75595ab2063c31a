import * as z from "zod";
import { compareOpenApi, isOpenApi, readOpenApi } from "#lib/tracking/operations/index";
import { scoreSecurity } from "#lib/tracking/security/index";
import { type Analysis, type Change, toReportFields } from "./analysis";
import { describeOpenApi } from "./describe-openapi";
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

type Texts = { before: string; after: string; domain: string };

/** Returns the analysis of two OpenAPI documents, as of a vendor's; undefined if not both are some. */
async function analyseDocuments(texts: Texts, change: Change): Promise<Analysis | undefined> {
  const { before, after, domain } = texts;
  if (!isOpenApi(before) || !isOpenApi(after)) return undefined;
  const versions = { before: await readOpenApi(before), after: await readOpenApi(after) };
  const operations = await compareOpenApi({ ...versions, url: `https://${domain || "localhost"}/`, domain });
  return describeOpenApi({ ...change, ...versions }, operations);
}

/**
 * Returns the rules' report on the change between two texts; if both are OpenAPI documents, on what it changes of their operations.
 * Neither is stored or sent anywhere. Links within `domain` are the texts' own for the security score; without it, all links lead
 * elsewhere. Throws OpenApiError and WorkerError for documents that cannot be compared.
 */
export async function reportTexts(texts: Texts): Promise<TextReport> {
  const { before, after, domain } = texts;
  const scoreOf = (text: string) => scoreSecurity(text, { domain }).score;
  const scores = { securityScore: scoreOf(after), previousSecurityScore: scoreOf(before) };
  const change: Change = { before, after, comparison: null, domain, name: domain, ...scores };
  const analysis = (await analyseDocuments(texts, change)) ?? analyseByRules(change);
  return {
    ...toReportFields(analysis),
    ...(before === after && { summary: "The texts are the same." }),
    facts: analysis.facts ?? [],
    security_score: { before: scores.previousSecurityScore, after: scores.securityScore },
  };
}
