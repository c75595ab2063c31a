import table from "./phrases/languages.json" with { type: "json" };
import { readWords } from "./word-lists";

type Words = ReadonlySet<string>;

/** Override rules for five languages in Latin letters. Words have no accents, as `tokensOf` returns them. */
type Language = {
  /** Imperatives of "ignore", "forget", "do not follow". */
  verbs: Words;
  /** Infinitives, which count after one of `modals`. */
  infinitives: Words;
  modals: Words;
  /** Words for instructions. */
  orders: Words;
  /** Words for rules, which documentation uses for other things as well. */
  rules: Words;
  /** "previous", "above", "system", "user", "received", "told": makes orders or rules those of a model. */
  earlier: Words;
  /** "all", "your": enough beside words for instructions. */
  all: Words;
  /** "if", "when": makes the sentence harmless. */
  conditions: Words;
  /** Imperatives of "show". */
  shows: Words;
  /** "your" before the prompt. */
  yours: Words;
};

const languages = table.languages.map(({ language, ...lists }): Language => readWords(lists));
const { systems, systemPrompts, everything, preceding, ends, articles, topics, negations } = readWords(table.lists);

const byVerb = new Map<string, Language[]>();
for (const language of languages) {
  for (const verb of new Set([...language.verbs, ...language.infinitives, ...language.shows])) {
    byVerb.set(verb, [...(byVerb.get(verb) ?? []), language]);
  }
}

/** Most words between a verb and its objects. */
const reach = 9;
const [precedingReach, endReach] = [6, 2];

/** Whether "everything above" follows the verb at `at`. */
function meansEverythingAbove(tokens: readonly string[], at: number): boolean {
  if (!everything.has(tokens[at + 1] ?? "")) return false;
  const place = tokens.slice(at + 2, at + 2 + precedingReach).findIndex((word) => preceding.has(word));
  const after = at + 3 + place;
  return (
    place >= 0 &&
    !articles.has(tokens[after] ?? "") &&
    tokens.slice(after, after + endReach).some((word) => ends.has(word))
  );
}

/** Whether a topic limits the instructions that a verb concerns, and it is not the model itself. */
function isAboutTopic({ orders, earlier, yours }: Language, tokens: readonly string[], at: number): boolean {
  const order = tokens.findIndex((word, index) => index > at && index <= at + reach && orders.has(word));
  const topic = tokens.findIndex((word, index) => index > order && index <= order + 2 && topics.has(word));
  if (order < 0 || topic < 0) return false;
  return !tokens.slice(topic + 1, topic + 5).some((word) => orders.has(word) || earlier.has(word) || yours.has(word));
}

function matchVerb(language: Language, tokens: readonly string[], at: number, isClauseStart: boolean) {
  const around = tokens.slice(Math.max(0, at - reach), at + reach + 1);
  const has = (words: ReadonlySet<string>) => around.some((word) => words.has(word));
  const verb = tokens[at]!;
  if (language.shows.has(verb) && isClauseStart) {
    const isPrompt = around.includes("prompt") || around.includes("prompts");
    if (has(language.yours) && (has(systemPrompts) || (isPrompt && has(systems)))) return "prompt-exfiltration";
  }
  const isImperative = language.verbs.has(verb) && isClauseStart;
  const isDemanded = language.infinitives.has(verb) && has(language.modals);
  if (!isImperative && !isDemanded) return undefined;
  if (verb === "beachte" && !has(negations)) return undefined;
  if (tokens.some((word) => language.conditions.has(word))) return undefined;
  if (isImperative && meansEverythingAbove(tokens, at)) return "instruction-override";
  const orderCount = around.filter((word) => language.orders.has(word)).length;
  const earlierCount = around.filter((word) => language.earlier.has(word)).length;
  if (!has(language.all) && isAboutTopic(language, tokens, at)) return undefined;
  const isOrder = orderCount > 0 && (has(language.all) || earlierCount > 0);
  return isOrder || (has(language.rules) && earlierCount > 0) ? "instruction-override" : undefined;
}

/**
 * Returns the detector of an override or of a request for the prompt in Spanish, German, French, Portuguese or Italian, of
 * which `tokens[at]` is the verb.
 */
export function matchLatinLanguage(
  tokens: readonly string[],
  at: number,
  isClauseStart: () => boolean,
): "instruction-override" | "prompt-exfiltration" | undefined {
  const candidates = byVerb.get(tokens[at]!);
  if (!candidates) return undefined;
  for (const language of candidates) {
    const detector = matchVerb(language, tokens, at, isClauseStart());
    if (detector) return detector;
  }
  return undefined;
}
