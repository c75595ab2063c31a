import { type ChangeSentence, fitSentences } from "#lib/contract/fit-json";
import { formatCount } from "#lib/platform/format-count";
import type { OperationChange } from "./compare-operations";
import type { Difference } from "./compare-schemas";

/** What of a change describes it. */
export type DescribedOperation = Pick<
  OperationChange,
  "method" | "path" | "kind" | "breaking" | "docOnly" | "differences" | "differenceCount" | "significance"
>;

/** Returns a difference in words: `Message.role in responses may be null`. */
export function describeDifference({ target, at, change }: Pick<Difference, "target" | "at" | "change">): string {
  if (at === "") return change;
  return `${at} in ${target}s ${change}`;
}

/** Returns what changed of an operation, as its sentence goes on after its name. */
function describeChange({ kind, breaking, differences, differenceCount }: DescribedOperation): string {
  if (kind !== "changed") return ` was ${kind}.`;
  const [first] = differences;
  const more = differenceCount > 1 ? `, and ${(differenceCount - 1).toLocaleString("en")} more` : "";
  const start = breaking ? " breaks clients:" : first?.at === "" ? "" : ":";
  return `${start} ${first ? describeDifference(first) : "changed"}${more}.`;
}

const nameOf = ({ method, path }: DescribedOperation) => `${method} ${path}`;

/** Returns what changed of an operation as a sentence. */
export function describeOperation(change: DescribedOperation): string {
  return `${nameOf(change)}${describeChange(change)}`;
}

/** Returns sentences in the order of the changes: one for all operations of which the same changed, and nothing else. */
function sentencesOf(changes: readonly DescribedOperation[]): ChangeSentence[] {
  const groups = new Map<string, { name: string; rest: string; count: number }>();
  for (const change of changes) {
    const [name, rest] = [nameOf(change), describeChange(change)];
    const isAlone = change.kind === "changed" && change.differenceCount === 1;
    const key = isAlone ? rest : `${name}${rest}`;
    groups.set(key, { name, rest, ...groups.get(key), count: (groups.get(key)?.count ?? 0) + 1 });
  }
  return [...groups.values()].map(({ name, rest, count }) => {
    const others = count > 1 ? ` (and ${formatCount(count - 1, "other operation")})` : "";
    return { text: `${name}${others}${rest}`, count };
  });
}

/** Returns all that is shown of a change. */
export function operationText({ method, path, urls, differences }: OperationChange): string {
  return [method, path, ...urls, ...differences.map(describeDifference)].join("\n");
}

/** Returns the changes as sentences in their order, as many as fit, and how many are left out. */
export function summarizeOperations(changes: readonly DescribedOperation[], maxLength = 500): string {
  return fitSentences(sentencesOf(changes), { noun: "operation", maxCount: 2_000, maxLength });
}
