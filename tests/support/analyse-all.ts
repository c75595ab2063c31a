import { type AnalysisContext, analyseOne, findUnanalysed } from "#lib/tracking/intelligence/index";

/** Writes the report of everything that has none, as the analysis job does, and counts what became of it. */
export async function analyseAll(
  context: AnalysisContext,
): Promise<{ analysed: number; high: number; failed: number }> {
  const summary = { analysed: 0, high: 0, failed: 0 };
  for (const subject of await findUnanalysed(context.database, { limit: 1_000 })) {
    const outcome = await analyseOne(context, subject);
    if (outcome === "failed") summary.failed += 1;
    else if (outcome !== "known") summary.analysed += 1;
    if (outcome === "high") summary.high += 1;
  }
  return summary;
}
