import type { ReadLine } from "../text/read-lines";

export type ValueKind =
  | "price"
  | "limit"
  | "endpoint"
  | "parameter"
  | "field"
  | "entry"
  | "call"
  | "package"
  | "version"
  | "model"
  | "end";

/** A value that a change gives, takes or replaces, verbatim; `old` or `now` is empty if there is none. */
export type ValueFact = {
  kind: ValueKind;
  line: ReadLine;
  subject: string;
  old: string;
  now: string;
  isDocumented?: boolean;
  /** Whether a limit belongs to a plan. */
  isPlan?: boolean;
};
