import { type Annotation, annotationText, maxAnnotationCount } from "../run-report/annotation";
import { markdownCell, markdownTable } from "../run-report/markdown";
import {
  differencesText,
  endText,
  headerText,
  isListed,
  nameText,
  operationText,
  successorText,
  summaryText,
  usesText,
} from "./audit-text";
import type { Finding, Findings, HeaderFinding } from "./findings";
import { keptTexts } from "./keep-models";

type Failing = { model: (finding: Finding) => boolean; header: (finding: HeaderFinding) => boolean };

/** First what ends next, then what has no day, then what ended last. */
function byUrgency(a: Finding, b: Finding): number {
  const rank = ({ days_left: days }: Finding) => (days === null ? 1 : days > 0 ? 0 : 2);
  return rank(a) - rank(b) || Math.abs(a.days_left ?? 0) - Math.abs(b.days_left ?? 0);
}

/**
 * Returns workflow commands that annotate a file for each model that has ended, will end, or may at any time, each header that
 * fails the audit, and each change of an operation: an error if it fails the audit or is breaking.
 */
export function githubAnnotations({ models, headers, operations }: Findings, isFailing: Failing): string[] {
  const all: Annotation[] = [
    ...models
      .filter((each) => isListed(each) && !each.is_kept)
      .sort(byUrgency)
      .map((finding) => {
        const { file, line } = { file: finding.tests[0]?.file ?? "", line: undefined, ...finding.code[0] };
        const texts = [
          nameText(finding),
          endText(finding),
          successorText(finding),
          usesText(finding),
          ...keptTexts(finding),
          ...finding.caveats,
        ];
        return { isError: isFailing.model(finding), title: "Model", file, line, texts };
      }),
    ...headers
      .filter(isFailing.header)
      .map((each) => ({ isError: true, title: "Header", file: each.file, texts: [headerText(each)] })),
    ...(operations ?? []).map((each) => {
      const texts = [operationText(each), differencesText(each)];
      return { isError: each.breaking, title: "Operation", file: each.file, texts };
    }),
  ];
  return [true, false].flatMap((isError) =>
    all
      .filter((each) => each.isError === isError)
      .slice(0, maxAnnotationCount)
      .map(annotationText),
  );
}

/** Returns the summary of a job in Markdown. */
export function githubSummary(findings: Findings): string {
  const rows = findings.models
    .filter((finding) => finding.status === "unknown" || isListed(finding))
    .map((finding) => [
      nameText(finding),
      [endText(finding), ...keptTexts(finding)].join("; "),
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
