import { commandLine } from "#lib/platform/command-line";
import { printable, printableLines } from "#lib/platform/printable";
import { describeMiss, type SessionReport } from "#lib/replay/recording-proxy/index";
import { annotationText, maxAnnotationCount } from "./annotation";
import { markdownTable } from "./markdown";
import { type RunModel, type RunModels, spendingText } from "./summarize-models";

/** Most models that the terminal shows. */
const maxShownCount = 5;

/** Returns what the calls of a run came to as lines for a terminal; none without calls. */
export function describeModels({ played, recorded, models }: RunModels): string[] {
  // Each run of a suite would repeat the dates that recording it has told, and the audit tells.
  const endOf = ({ end, isOpen, recorded: own }: RunModel) => (isOpen && own.calls === 0 ? "may end" : end);
  const shown = models.slice(0, maxShownCount).map((model) => `${model.name} ${endOf(model)}`);
  const more = models.length - shown.length;
  return [
    ...(played.calls > 0 ? [`  not spent: ${spendingText(played)}`] : []),
    ...(recorded.calls > 0 ? [`  spent: ${spendingText(recorded)}`] : []),
    ...(shown.length > 0
      ? [`  models: ${shown.join("; ")}${more > 0 ? `; and ${more} more: ${commandLine("audit")} lists them` : ""}`]
      : []),
  ].map(printable);
}

/** Longest text of a run in the summary of a job, in characters: GitHub shows a megabyte of it. */
const maxSummaryLength = 60_000;

/** Returns workflow commands that annotate the files of tests which missed a recording, as many as GitHub shows. */
export function missAnnotations(reports: readonly SessionReport[]): string[] {
  const missed = reports.filter(({ misses }) => misses.length > 0).slice(0, maxAnnotationCount);
  return missed.flatMap(({ test, misses: [miss] }) => {
    const [file = ""] = test.split(/ > |::/);
    return miss ? [annotationText({ isError: true, title: "Tapedeck", file, texts: [describeMiss(miss)] })] : [];
  });
}

/** Returns the summary of a job in Markdown: counts, the models with what they cost, and what else the run says, as its text. */
export function summaryMarkdown(counts: string, { models, ...all }: RunModels, lines: readonly string[]): string {
  const text = printableLines(lines.join("\n")).slice(0, maxSummaryLength);
  // Longer than any in the text.
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const rows = models.map(({ name, end, played, recorded }: RunModel) => [
    name,
    end,
    String(played.calls),
    spendingText(played),
    String(recorded.calls),
    spendingText(recorded),
  ]);
  return [
    "## Tapedeck",
    "",
    counts,
    "",
    `- Not spent: ${spendingText(all.played)}`,
    `- Spent: ${spendingText(all.recorded)}`,
    ...(rows.length > 0
      ? ["", ...markdownTable(["Model", "Status", "Played", "Not spent", "Recorded", "Spent"], rows)]
      : []),
    ...(text === "" ? [] : ["", `${fence}text`, text, fence]),
    "",
  ].join("\n");
}
