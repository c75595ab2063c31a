import { fitSentences } from "#lib/contract/fit-json";
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

/** Returns what changed of an operation as a sentence. */
export function describeOperation({ method, path, kind, breaking, differences, differenceCount }: DescribedOperation) {
  const name = `${method} ${path}`;
  if (kind !== "changed") return `${name} was ${kind}.`;
  const [first] = differences;
  const more = differenceCount > 1 ? `, and ${(differenceCount - 1).toLocaleString("en")} more` : "";
  const start = breaking ? `${name} breaks clients:` : `${name}${first?.at === "" ? "" : ":"}`;
  return `${start} ${first ? describeDifference(first) : "changed"}${more}.`;
}

/** Returns all that is shown of a change. */
export function operationText({ method, path, urls, differences }: OperationChange): string {
  return [method, path, ...urls, ...differences.map(describeDifference)].join("\n");
}

/** Returns the changes as sentences in their order, as many as fit, and how many are left out. */
export function summarizeOperations(changes: readonly DescribedOperation[], maxLength = 500): string {
  return fitSentences(changes.map(describeOperation), { noun: "operation", maxCount: 2_000, maxLength });
}
