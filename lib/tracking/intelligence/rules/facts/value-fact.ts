import type { ReadLine } from "../text/read-lines";

type NameKind = "package" | "model" | "endpoint" | "parameter" | "field" | "entry";
export type ValueKind = "price" | "limit" | "end" | "version" | NameKind;

/** A value that a change gives, takes or replaces, verbatim; `old` or `now` is empty if there is none. */
export type ValueFact = {
  kind: ValueKind;
  line: ReadLine;
  subject: string;
  old: string;
  now: string;
  /** Whether it breaks clients: an optional value that is now required, another value of an enumeration. */
  isBreaking?: boolean;
  /** Whether a limit belongs to a plan. */
  isPlan?: boolean;
};

/** Facts of a version's texts: whether each has a value anywhere, and whether a section is new or lost as a whole. */
export type ValueContext = {
  isInOlder: (value: string) => boolean;
  isInNewer: (value: string) => boolean;
  isWhole: (path: string) => boolean;
  title: string;
  /** Whether the older text has any price. */
  hadPrices: boolean;
};
