import { type DescribedOperation, summarizeOperations } from "#lib/tracking/operations/index";
import type { IntelligenceCategory } from "#lib/tracking/report-categories/index";
import type { Analysis, Change } from "./analysis";
import { growthPct } from "./rules/analyse-by-rules";

/** Version of what follows and of the comparison. To be changed when they judge a change differently. */
export const operationRulesVersion = "openapi-3";

/** Most operations listed in a report. */
const maxListedCount = 50;

function categoryOf({ breaking, docOnly, kind, differences }: DescribedOperation): IntelligenceCategory {
  if (!breaking && differences.some(({ deprecates }) => deprecates)) return "deprecation";
  if (docOnly) return "docs-restructure";
  return kind === "added" ? "new-feature" : "api-change";
}

/** Returns the analysis of a change of an OpenAPI document, by what it changes of the operations, the most significant first. */
export function describeOpenApi({ before, after }: Change, changes: readonly DescribedOperation[]): Analysis {
  const listed = (wanted: DescribedOperation["kind"]) =>
    changes
      .filter(({ kind }) => kind === wanted)
      .map(({ method, path }) => `${method} ${path}`)
      .slice(0, maxListedCount);
  const unchanged = before === null ? "The first version of the document." : "No change of an operation is listed.";
  return {
    summary: changes.length > 0 ? summarizeOperations(changes) : unchanged,
    significance: changes[0]?.significance ?? 1,
    categories:
      changes.length > 0
        ? [...new Set(changes.map(categoryOf))]
        : [before === null ? "content-expansion" : "formatting-only"],
    sectionsAdded: listed("added"),
    sectionsRemoved: listed("removed"),
    sectionsModified: listed("changed"),
    keyQuotes: [],
    byteSizeChangePct: before === null ? 0 : growthPct(Buffer.byteLength(before), Buffer.byteLength(after)),
  };
}
