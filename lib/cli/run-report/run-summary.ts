import { commandLine } from "#lib/platform/command-line";
import { printable } from "#lib/platform/printable";
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

/** Returns the summary of a job in Markdown: counts, and the models with what they cost. */
export function summaryMarkdown(counts: string, { models, ...all }: RunModels): string {
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
    "",
  ].join("\n");
}
