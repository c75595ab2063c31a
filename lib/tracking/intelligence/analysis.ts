import { blockedScore } from "#lib/contract/blocked-content";
import type { DescribedModelChange } from "#lib/models/index";
import type { TextComparison } from "#lib/tracking/diffs/index";
import type { DescribedOperation } from "#lib/tracking/operations/index";
import type { IntelligenceCategory } from "#lib/tracking/report-categories/index";

export type Change = {
  /** Null for a first version. */
  before: string | null;
  after: string;
  domain: string;
  name: string;
  /** Null for a first version, and to have the texts compared by the rules. */
  comparison: Omit<TextComparison, "moved"> | null;
  /** 0 to 5; of the older text 0 for a first version. */
  securityScore: number;
  previousSecurityScore: number;
  /** What it changes of models; null unless the file is a catalogue of models. */
  models?: readonly DescribedModelChange[] | null;
  /** What it changes of operations; null unless the file is an OpenAPI document. */
  operations?: readonly DescribedOperation[] | null;
};

/** Whether one of a change's texts may attack its readers, so that nothing of the change is repeated or shown to a model. */
export function isBlockedChange({ securityScore, previousSecurityScore }: Change): boolean {
  return Math.max(securityScore, previousSecurityScore) >= blockedScore;
}

export const noText = { sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] };

export type Analysis = {
  /** One to four sentences, at most 500 characters. */
  summary: string;
  /** From 1 to 5. */
  significance: number;
  /** At least one, most relevant first. */
  categories: IntelligenceCategory[];
  /** Heading paths such as `Guides > Authentication`. */
  sectionsAdded: string[];
  sectionsRemoved: string[];
  sectionsModified: string[];
  /** Substrings of the newer text, or of the older one if nothing was added. */
  keyQuotes: string[];
  /** Change of the size in bytes of UTF-8, with two decimals; 0 for a first version. */
  byteSizeChangePct: number;
  /** Facts that the rules found, one sentence each, and the numbers that differ; not part of a report. */
  facts?: string[];
  moves?: Move[];
};

export const toReportFields = (analysis: Analysis) => ({
  summary: analysis.summary,
  significance: analysis.significance,
  categories: analysis.categories,
  sections_added: analysis.sectionsAdded,
  sections_removed: analysis.sectionsRemoved,
  sections_modified: analysis.sectionsModified,
  key_quotes: analysis.keyQuotes,
  byte_size_change_pct: analysis.byteSizeChangePct,
});

export type Move = { kind: string; old: number; now: number };
