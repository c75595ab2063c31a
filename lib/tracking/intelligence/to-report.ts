import type { Analysis } from "./analysis";
import type { AnalysisMode, IntelligenceReport } from "./schemas";

export type ReportRow = {
  id: string;
  vendor: { name: string; slug: string; domain: string };
  summary: string;
  significance: number;
  categories: string[];
  sectionsAdded: string[];
  sectionsRemoved: string[];
  sectionsModified: string[];
  keyQuotes: string[];
  byteSizeChangePct: number;
  mode: AnalysisMode;
  createdAt: Date;
};

/** A stored report as the contract has it. */
export function toReport(row: ReportRow): IntelligenceReport {
  const { name, slug, domain } = row.vendor;
  return {
    id: row.id,
    vendor: { name, slug, domain },
    summary: row.summary,
    significance: row.significance,
    categories: row.categories as Analysis["categories"],
    sections_added: row.sectionsAdded,
    sections_removed: row.sectionsRemoved,
    sections_modified: row.sectionsModified,
    key_quotes: row.keyQuotes,
    byte_size_change_pct: row.byteSizeChangePct,
    analysis_mode: row.mode,
    created_at: row.createdAt.toISOString(),
  };
}
