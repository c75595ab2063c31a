import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { type AnalysisContext, analyseOne, findUnanalysed } from "#lib/tracking/intelligence/index";

/** Returns what an analysis needs besides its database and what is given. */
export function analysisContext(given: Partial<AnalysisContext> & Pick<AnalysisContext, "database">): AnalysisContext {
  const { signal } = new AbortController();
  return { ids: systemIds, clock: systemClock, log: pino({ level: "silent" }), signal, ...given };
}

/** Writes the report of everything that has none, as the analysis job does, and counts what became of it. */
export async function analyseAll(
  given: Parameters<typeof analysisContext>[0],
): Promise<{ analysed: number; high: number; failed: number }> {
  const context = analysisContext(given);
  const summary = { analysed: 0, high: 0, failed: 0 };
  for (const subject of await findUnanalysed(context.database, { limit: 1_000 })) {
    const outcome = await analyseOne(context, subject);
    if (outcome === "failed") summary.failed += 1;
    else if (outcome !== "known") summary.analysed += 1;
    if (outcome === "high") summary.high += 1;
  }
  return summary;
}
