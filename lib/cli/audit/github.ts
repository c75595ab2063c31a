import { markdownCell, markdownTable } from "../run-report/markdown";
import { endText, headerText, nameText, operationText, successorText, summaryText, usesText } from "./audit-text";
import { type Finding, type Findings, isEnding } from "./findings";

/** GitHub shows ten annotations of a kind for each step. */
const maxAnnotationCount = 10;

const escapeMessage = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string) => escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

function annotation(finding: Finding, isFailure: boolean): string {
  const [place] = finding.code;
  const file = place?.file ?? finding.tests[0]?.file ?? "";
  const properties = [`file=${escapeProperty(file)}`, ...(place ? [`line=${place.line}`] : []), "title=Model"];
  const message = [nameText(finding), endText(finding), successorText(finding), usesText(finding)];
  return `::${isFailure ? "error" : "warning"} ${properties.join(",")}::${escapeMessage(message.filter(Boolean).join("  "))}`;
}

/** Returns workflow commands that annotate a file for each model that has ended, will end, or may at any time. */
export function githubAnnotations({ models }: Findings, isFailure: (finding: Finding) => boolean): string[] {
  const ending = models.filter(isEnding);
  return ending.slice(0, maxAnnotationCount).map((finding) => annotation(finding, isFailure(finding)));
}

/** Returns the summary of a job in Markdown. */
export function githubSummary(findings: Findings): string {
  const rows = findings.models
    .filter((finding) => finding.status === "unknown" || isEnding(finding))
    .map((finding) => [
      nameText(finding),
      endText(finding),
      successorText(finding).replace("→ ", ""),
      usesText(finding),
    ]);
  return [
    "## Models",
    "",
    summaryText(findings),
    "",
    ...markdownTable(["Model", "End", "Successor", "Used by"], rows),
    ...findings.headers.flatMap((header) => ["", `- ${markdownCell(headerText(header))}`]),
    ...(findings.operations ?? []).flatMap((each) => ["", `- ${markdownCell(operationText(each))}`]),
    "",
  ].join("\n");
}
