import type { Family } from "./finding";
import { wordClass } from "./word-classes";

/** One of `words` among the next `within` words. */
type Step = { words: ReadonlySet<string>; within: number };

/** Pattern over the words of a sentence. */
export type InstructionRule = {
  detector: string;
  family: Family;
  points: number;
  /** Words that the pattern starts with. */
  opens: ReadonlySet<string>;
  /** Steps that follow, in this order. */
  steps: readonly Step[];
  /** Words that make the sentence harmless. */
  unless?: ReadonlySet<string>;
  /**
   * Where the pattern may start: at the beginning of the sentence, at that of a clause (both after salutations and polite
   * words) or where somebody is told or allowed to do something, or anywhere.
   */
  place: "sentence" | "clause" | "permitted" | "anywhere";
};

type Options = { family?: Family; unless?: string; place?: InstructionRule["place"] };

/** Parses `IGNORE 4:EARLIER 6:ORDERS`: a first word, then a class within the next four words, another within six. */
function rule(detector: string, points: number, notation: string, options: Options = {}): InstructionRule {
  const [opens = "", ...steps] = notation.split(/\s+/);
  return {
    detector,
    family: options.family ?? "instructions",
    points,
    opens: wordClass(opens),
    steps: steps.map((step) => {
      const [within, words = ""] = step.split(":");
      return { words: wordClass(words), within: Number(within) };
    }),
    unless: options.unless === undefined ? undefined : wordClass(options.unless),
    place: options.place ?? "clause",
  };
}

/** Rules of one detector with the same points, separated by semicolons. */
export const rules = (detector: string, points: number, notations: string, options?: Options): InstructionRule[] =>
  notations.split(";").map((notation) => rule(detector, points, notation.trim(), options));
