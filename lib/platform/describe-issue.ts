import type { z } from "zod";

/** Returns what an issue of a schema says to a person who does not know the validator. */
function describeMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `unknown: ${issue.keys.join(", ")}`;
    case "too_small":
    case "too_big": {
      const isLow = issue.code === "too_small";
      const limit = isLow ? issue.minimum : issue.maximum;
      const unit = issue.origin === "string" ? " characters" : issue.origin === "array" ? " items" : "";
      if (issue.inclusive === false) return `must be ${isLow ? "more" : "less"} than ${limit}`;
      return `must ${unit ? "have" : "be"} at ${isLow ? "least" : "most"} ${limit}${unit}`;
    }
    case "invalid_type":
      return `must be ${/^[aeio]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    default:
      return issue.message;
  }
}

/** Returns the first problem of a value that a schema refuses, with its place: `redact.0: must have at least 3 characters`. */
export function describeIssue({ issues }: z.ZodError, whole = "the file"): string {
  const [issue] = issues;
  return issue ? `${issue.path.join(".") || whole}: ${describeMessage(issue)}` : "not valid";
}
