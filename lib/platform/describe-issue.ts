import type * as z from "zod";

/** Messages that zod writes for a schema without one of its own; with a locale, followed by what it expected. */
const defaultMessage = /^(?:Invalid (?:input|option)|Too (?:small|big)|Unrecognized keys?)(?::|$)/;

/** Returns what a value must be to a person who does not know the validator. Messages of the schemas say so themselves. */
export function requirementOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key" && issue.issues[0]) return requirementOf(issue.issues[0]);
  const { message } = issue;
  if (!defaultMessage.test(message)) return message;
  if (message.endsWith("received undefined")) return "is required";
  switch (issue.code) {
    case "unrecognized_keys":
      return `unknown: ${issue.keys.join(", ")}`;
    case "too_small":
    case "too_big": {
      const isLow = issue.code === "too_small";
      const limit = isLow ? issue.minimum : issue.maximum;
      const noun = issue.origin === "string" ? " character" : issue.origin === "array" ? " item" : "";
      const unit = noun && `${noun}${Number(limit) === 1 ? "" : "s"}`;
      if (issue.inclusive === false) return `must be ${isLow ? "more" : "less"} than ${limit}`;
      return `must ${unit ? "have" : "be"} at ${isLow ? "least" : "most"} ${limit}${unit}`;
    }
    case "invalid_type": {
      const expected = issue.expected === "record" ? "object" : issue.expected;
      return `must be ${/^[aeio]/.test(expected) ? "an" : "a"} ${expected}`;
    }
    case "invalid_union":
      return "is not valid";
    case "invalid_value": {
      const values = issue.values.map((value) => JSON.stringify(value));
      return `must be ${values.length > 1 ? "one of " : ""}${values.join(", ")}`;
    }
    default:
      return message;
  }
}

/** Most unknown keys that a message names, and most characters of each. */
const shown = { count: 5, length: 80 };

/** Returns the message for a key that is not known, with those that are. Is the `error` of `safeParse` for files. */
export function unknownKeyMessage(issue: z.core.$ZodRawIssue, noun = "key"): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const known = Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {});
  const named = issue.keys.slice(0, shown.count).map((key) => `"${key.slice(0, shown.length)}"`);
  const keys = [...named, ...(issue.keys.length > shown.count ? ["…"] : [])].join(", ");
  return `unknown ${noun}${issue.keys.length > 1 ? "s" : ""} ${keys}. Known are ${known.join(", ")}`;
}

/**
 * Returns the first problem of a value that a schema refuses, with its place: `redact.0: must have at least 3 characters`.
 * `whole`: the name of the value.
 */
export function describeIssue({ issues }: z.ZodError, whole = ""): string {
  const [issue] = issues;
  if (!issue) return "not valid";
  const place = issue.path.join(".") || whole;
  return `${place && `${place}: `}${requirementOf(issue)}`;
}

/** Returns a validation error of a request as one sentence that names the field and what to change. */
export function validationMessage({ issues }: z.ZodError, where: string): string {
  const [issue] = issues;
  const path = issue?.path.join(".");
  const requirement = issue ? requirementOf(issue) : "is not valid";
  return path ? `${where} "${path}": ${requirement}` : `${where}: ${requirement}`;
}
