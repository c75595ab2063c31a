import { type DescribedModelChange, summarizeChanges } from "#lib/models/index";
import type { IntelligenceCategory } from "#lib/tracking/report-categories/index";
import type { Analysis, Change } from "./analysis";
import { growthPct } from "./rules/analyse-by-rules";

/** Version of what follows. To be changed when it judges a change differently. */
export const modelRulesVersion = "models-2";

/** Most models listed in a report. */
const maxListedCount = 50;

function categoryOf({ field, after }: DescribedModelChange): IntelligenceCategory {
  if (field === "listed") return after === null ? "content-reduction" : "model-release";
  if (field === "price") return "pricing-change";
  return ["retired", "retired_not_before", "status", "deprecated", "successors"].includes(field)
    ? "deprecation"
    : "api-change";
}

/** Returns the analysis of a change of a catalogue of models, by what it changes of them. */
export function describeModels({ before, after }: Change, changes: readonly DescribedModelChange[]): Analysis {
  const sorted = [...changes].sort((a, b) => b.significance - a.significance);
  const listed = (wanted: (change: DescribedModelChange) => boolean) =>
    [...new Set(sorted.filter(wanted).map(({ provider, model }) => `${provider} ${model}`))].slice(0, maxListedCount);
  const isListing = ({ field }: DescribedModelChange) => field === "listed";
  const count = after.split("\n").length - 1;
  const unchanged =
    before === null ? `The first version lists ${count} models.` : "No model changed; pages were read again.";
  const [most] = sorted;
  return {
    summary: most ? summarizeChanges(sorted) : unchanged,
    significance: most?.significance ?? 1,
    categories: most
      ? [...new Set(sorted.map(categoryOf))]
      : [before === null ? "content-expansion" : "formatting-only"],
    sectionsAdded: listed((change) => isListing(change) && change.after !== null),
    sectionsRemoved: listed((change) => isListing(change) && change.after === null),
    sectionsModified: listed((change) => !isListing(change)),
    keyQuotes: [],
    byteSizeChangePct: before === null ? 0 : growthPct(Buffer.byteLength(before), Buffer.byteLength(after)),
  };
}
