import type { Significance, Weighed } from "#lib/tracking/wording/index";
import type { ReadLine } from "../text/read-lines";

/** Values by kind: the significance of one that is new or differs, of one that is gone, and their category. */
export const valueKinds = {
  price: { changed: 4, gone: 4, category: ["pricing-change", 82] },
  end: { changed: 4, gone: 4, category: ["deprecation", 90] },
  endpoint: { changed: 3, gone: 3, category: ["api-change", 62] },
  header: { changed: 4, gone: 4, category: ["api-change", 62] },
  name: { changed: 2, gone: 2, category: ["api-change", 36] },
  type: { changed: 2, gone: 2, category: ["api-change", 36] },
  parameter: { changed: 2, gone: 3, category: ["api-change", 50] },
  field: { changed: 2, gone: 2, category: ["api-change", 36] },
  entry: { changed: 2, gone: 3, category: ["api-change", 36] },
  model: { changed: 2, gone: 3, category: ["model-release", 66] },
  version: { changed: 4, gone: 3, category: ["sdk-update", 50] },
  limit: { changed: 2, gone: 3, category: ["api-change", 36] },
} as const satisfies Record<string, { changed: Significance; gone: Significance; category: Weighed }>;
export type ValueKind = keyof typeof valueKinds;

/** A value that a change gives, takes or replaces, verbatim; `old` or `now` is empty if there is none. */
export type ValueFact = {
  kind: ValueKind;
  line: ReadLine;
  subject: string;
  old: string;
  now: string;
  /** Whether it breaks clients: an optional value that is now required, another value of an enumeration. */
  isBreaking?: boolean;
  isPlan?: boolean;
  /** Whether more is not allowed. */
  isMaximum?: boolean;
};

/** Facts of a version's texts: whether each has a value anywhere, and whether a section is new or lost as a whole. */
export type ValueContext = {
  isInOlder: (value: string) => boolean;
  isInNewer: (value: string) => boolean;
  isWhole: (path: string) => boolean;
  /** Whether the older version documented parameters of its section as this line does. */
  hasSibling: (line: ReadLine) => boolean;
  title: string;
  hadPrices: boolean;
};
