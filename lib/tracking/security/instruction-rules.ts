import type { Family } from "./finding";
import agents from "./phrases/agents.json" with { type: "json" };
import instructions from "./phrases/instructions.json" with { type: "json" };
import { wordClass } from "./word-lists";

/** One of `words` among the next `within` words. */
type Step = { words: ReadonlySet<string>; within: number };

const places = ["sentence", "clause", "permitted", "anywhere"] as const;

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
  place: (typeof places)[number];
};

/**
 * Rules of one detector with the same points. The phrase `IGNORE 4:EARLIER 6:ORDERS` means: a word of the class, then one
 * of another class within the next four words, another within six.
 */
type RuleEntry = {
  detector: string;
  /** By default `instructions`. */
  family?: string;
  points: number;
  /** By default `clause`. */
  place?: string;
  unless?: string;
  why: string;
  phrases: readonly string[];
};

function readStep(notation: string): Step {
  const [, within, words] = /^([1-9]\d?):(\S+)$/.exec(notation) ?? [];
  if (!within || !words) throw new Error(`${notation} is not a step of a rule`);
  return { words: wordClass(words), within: Number(within) };
}

/** Returns the rules of a table of phrases, in its order. */
export function readRules(entries: readonly RuleEntry[]): InstructionRule[] {
  return entries.flatMap(({ detector, family = "instructions", points, unless, phrases, ...entry }) => {
    const place = places.find((name) => name === (entry.place ?? "clause"));
    if (!place) throw new Error(`There is no place ${entry.place}`);
    return phrases.map((phrase) => {
      const [opens = "", ...steps] = phrase.split(" ");
      return {
        detector,
        family: family as Family,
        points,
        opens: wordClass(opens),
        steps: steps.map(readStep),
        unless: unless === undefined ? undefined : wordClass(unless),
        place,
      };
    });
  });
}

/** Instructions to a model that documentation hardly ever contains; those with one or two points occur in some. */
export const instructionRules: readonly InstructionRule[] = readRules([...instructions, ...agents]);
