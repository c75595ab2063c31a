import { formatCount } from "#lib/platform/format-count";
import { printable } from "#lib/platform/printable";
import { describeDifference } from "#lib/tracking/operations/describe-operations";
import { type Finding, type Findings, type HeaderFinding, isEnding, isGone } from "./findings";
import { keptTexts } from "./keep-models";
import type { OperationFinding } from "./operations";

/** Most files, places and spellings of a model that are named. */
const maxNamedCount = 3;
/** Most models that are listed without being known, or without an end. */
const maxListedCount = 20;

/** Returns the first of some names, and how many more there are. */
export function shorten(list: readonly string[]): string {
  const more = list.length - maxNamedCount;
  return `${list.slice(0, maxNamedCount).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns when a model ends. */
export function endText(finding: Finding): string {
  const { status, retired, days_left: days, retired_not_before: notBefore, may_end: mayEnd } = finding;
  if (isGone(finding) && status !== "retired") return "not found by its provider (404)";
  if (status === "unknown") return "not known";
  if (retired && days !== null) return days > 0 ? `ends ${retired} (${formatCount(days, "day")})` : `ended ${retired}`;
  if (status === "retired") return "ended";
  if (mayEnd)
    return `${status === "active" ? "" : `${status}, `}may end at any time: the earliest date, ${notBefore}, has passed`;
  if (notBefore) return `${status}, does not end before ${notBefore}`;
  return status === "deprecated" ? "deprecated, no day named" : "active";
}

/** Returns what replaces a model, with its own end if it has one; empty if that is not known. */
export function successorName({ provider, successor, successor_end: end }: Finding): string {
  if (successor === null) return "";
  const name = successor.startsWith(`${provider}/`) ? successor.slice(`${provider}/`.length) : successor;
  const when = end?.retired ? `ends ${end.retired}` : end?.may_end ? "may end" : end?.status;
  return `→ ${name}${when ? ` (${when})` : ""}`;
}

/** Returns what replaces a model, and what that costs, or that its price is not known. */
export function successorText(finding: Finding): string {
  const { price_ratio: ratio, unpriced, successor } = finding;
  const unknown = successor !== null && unpriced.includes(successor) ? " (price not known)" : "";
  return `${successorName(finding)}${ratio ? ` (input ×${ratio.input}, output ×${ratio.output})` : unknown}`;
}

/** Returns the provider and id of a model, or the name that is not known. */
export function nameText({ provider, id, names }: Finding): string {
  return provider === null ? (names[0] ?? "") : `${provider} ${id}`;
}

export function usesText({ recordings, tests, code }: Finding): string {
  const parts = [
    ...(recordings > 0 ? [`${formatCount(recordings, "recording")} in ${formatCount(tests.length, "test")}`] : []),
    ...(code.length > 0 ? [`${formatCount(code.length, "place")} in code`] : []),
  ];
  return parts.join(", ");
}

/** Returns the files of tests, each with how many, and the places in code. */
function filesText({ tests, code }: Finding): string[] {
  const counts = new Map<string, number>();
  for (const { test } of tests) {
    const [file = ""] = test.split(/ > |::/);
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  const files = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([file, count]) => `${file} (${formatCount(count, "test")})`);
  const places = code.map(({ file, line }) => `${file}:${line}`);
  return [files, places].filter((list) => list.length > 0).map((list) => `    ${shorten(list)}`);
}

export function headerText({ header, value, day, model, recordings, tests }: HeaderFinding): string {
  const when = day === null || value === day ? value : `${value} (${day})`;
  return `${header}: ${when}  ${model ?? "no model"}  ${formatCount(recordings, "recording")} in ${formatCount(tests.length, "test")}`;
}

export function operationText({ method, path, change, breaking, at, recordings, tests }: OperationFinding): string {
  const what = `${change} ${at.slice(0, 10)}${breaking ? ", breaking" : ""}`;
  return `${method} ${path}  ${what}  ${formatCount(recordings, "recording")} in ${formatCount(tests.length, "test")}`;
}

/** Returns the first differences of an operation; empty if none is known. */
export function differencesText({ differences }: OperationFinding): string {
  return shorten(differences.map(describeDifference));
}

/** Returns in sentences how many models have ended, end, and are not known, and of how many calls no model is. */
export function summaryText({ models, headers, operations, unnamed }: Findings): string {
  const present = models.filter((finding) => finding.status === "retired" || !isGone(finding));
  const count = (isCounted: (finding: Finding) => boolean) => present.filter(isCounted).length;
  const ended = count(({ status }) => status === "retired");
  const gone = models.length - present.length;
  const ending = present.filter(({ status, days_left: days }) => status === "deprecated" && days !== null);
  const unknown = count(({ status }) => status === "unknown");
  const undated = count(({ status, days_left: days }) => status === "deprecated" && days === null);
  const open = count(({ status, may_end: mayEnd }) => status === "active" && mayEnd);
  const active = count(({ status }) => status === "active") - open;
  const days = formatCount(ending[0]?.days_left ?? 0, "day");
  const counts: readonly (readonly [number, string])[] = [
    [ended, ended === 1 ? "has ended" : "have ended"],
    [gone, `${gone === 1 ? "is" : "are"} not found by the provider`],
    [ending.length, ending.length === 1 ? `ends in ${days}` : `end, the first in ${days}`],
    [undated, undated === 1 ? "is deprecated" : "are deprecated"],
    [open, "may end at any time"],
    [unknown, unknown === 1 ? "is not known" : "are not known"],
    [active, "active"],
  ];
  const known = counts.filter(([number]) => number > 0);
  const parts = [
    ...known.map(([number, text], index) => `${index === 0 ? formatCount(number, "model") : number} ${text}`),
    ...(headers.length > 0 ? [formatCount(headers.length, "deprecation header")] : []),
    ...(operations ? [`${formatCount(operations.length, "change")} of operations since they were recorded`] : []),
  ];
  const kept = models.filter(({ is_kept: isKept }) => isKept).length;
  return [
    parts.length > 0 ? `${parts.join(", ")}.` : "No models.",
    ...(kept > 0 ? [`${kept} of them ${kept === 1 ? "is" : "are"} kept.`] : []),
    ...(unnamed > 0 ? [`${formatCount(unnamed, "recording")} ${unnamed === 1 ? "names" : "name"} no model.`] : []),
  ].join(" ");
}

/** Whether a model is listed with its end. */
export const isListed = (finding: Finding) => isEnding(finding) || isGone(finding);

/** Names the models that do not end, as far as is known. */
function activeLines(models: readonly Finding[]): string[] {
  const names = models.filter((each) => each.status !== "unknown" && !isListed(each)).map(nameText);
  const more = names.length - maxListedCount;
  const shown = `${names.slice(0, maxListedCount).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return names.length > 0 ? [`  active: ${shown}`] : [];
}

/** Returns the findings as lines for a terminal: models that end and unknown ones with their uses, the others by name. */
export function auditLines(findings: Findings): string[] {
  const unknown = findings.models.filter((each) => each.status === "unknown" && !isListed(each));
  const ending = findings.models.filter(isListed);
  const width = (text: (finding: Finding) => string) => Math.max(0, ...ending.map((each) => text(each).length));
  const [names, ends] = [width(nameText), width(endText)];
  const lineOf = (columns: readonly string[]) => `  ${columns.filter((column) => column !== "").join("  ")}`;
  return [
    summaryText(findings),
    "",
    ...ending.flatMap((finding) => {
      const [name, end] = [nameText(finding).padEnd(names), endText(finding).padEnd(ends)];
      const spellings = finding.names.filter((each) => each !== finding.id);
      return [
        lineOf([name, end, successorText(finding)]).trimEnd(),
        `    ${usesText(finding)}`,
        ...keptTexts(finding).map((text) => `    ${text}`),
        ...(spellings.length > 0 ? [`    as ${shorten(spellings)}`] : []),
        ...finding.caveats.map((caveat) => `    ${caveat}`),
        ...filesText(finding),
      ];
    }),
    ...unknown
      .slice(0, maxListedCount)
      .flatMap((each) => [
        lineOf([nameText(each), endText(each), usesText(each)]),
        ...keptTexts(each).map((text) => `    ${text}`),
        ...filesText(each),
      ]),
    ...(unknown.length > maxListedCount ? [`  and ${unknown.length - maxListedCount} more not known: --json`] : []),
    ...activeLines(findings.models),
    ...findings.headers.map((header) => `  ${headerText(header)}`),
    ...(findings.operations ?? []).flatMap((each) => {
      const differences = differencesText(each);
      return [`  ${operationText(each)}`, ...(differences === "" ? [] : [`    ${differences}`])];
    }),
  ].map(printable);
}
