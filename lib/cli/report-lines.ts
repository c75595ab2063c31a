import { printable } from "#lib/platform/printable";
import type { IntelligenceReport } from "#lib/tracking/intelligence/index";

/** A report for the terminal. */
export function reportLines(report: IntelligenceReport): string {
  const { vendor, summary, significance, categories, key_quotes: quotes, created_at: at, analysis_mode: mode } = report;
  const head = `${at}  ${vendor.slug}  significance ${significance}  ${categories.join(", ")}  (${mode})`;
  return `${[head, summary, ...quotes.map((quote) => `> ${quote}`)].map(printable).join("\n  ")}\n`;
}
