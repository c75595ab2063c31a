import {
  isDescription,
  isDoneByCode,
  isLimitedOverride,
  isVoidSinceVersion,
  maxReasonLength,
} from "./documented-instructions";
import type { Detector, Match } from "./finding";
import { type InstructionRule, instructionRules } from "./instruction-rules";
import { matchLatinLanguage } from "./other-languages";
import { matchOtherScript } from "./other-scripts";
import { groupPhrases, overrideClauses } from "./override-phrases";
import clauses from "./phrases/clauses.json" with { type: "json" };
import { findExample } from "./quotations";
import { visitSentences } from "./sentences";
import { readWords, wordClass } from "./word-lists";
import { pause, tokensOf } from "./words";

const { announcing, modals, reporting, permitting, adverbs, conditions, readerActs, readMatter } = readWords(clauses);

/** Most salutations and polite words that are skipped. */
const maxFillerCount = 8;
/** Shortest sentence that any rule matches, in UTF-16 code units. */
const minSentenceLength = 10;
const fillers = wordClass("FILLER");
const mentions = wordClass("MENTION");
/** Words for attackers and attacks in Spanish, German, French, Portuguese and Italian. */
const attackers = wordClass("ATTACKER");
const quotes = new Set("\"'“”‘’«»„「『");
/** Ends the words of a sentence, so that a step can ask for it. */
const sentenceEnd = ".";

/** What a rule or another language's pattern says about a sentence. */
export type Instruction = Pick<InstructionRule, "detector" | "family" | "points">;

type RulesByOpener = ReadonlyMap<string, readonly InstructionRule[]>;

function byOpener(rules: readonly InstructionRule[]): RulesByOpener {
  const byWord = new Map<string, InstructionRule[]>();
  for (const rule of rules) {
    for (const word of rule.opens) byWord.set(word, [...(byWord.get(word) ?? []), rule]);
  }
  return byWord;
}

const rulesByOpener = byOpener(instructionRules);
const clausesByOpener = byOpener(overrideClauses);

/** Whether the steps of a rule follow its first word. Pauses are not counted, but match a step that asks for an end. */
function matchSteps({ steps }: InstructionRule, tokens: readonly string[], opener: number): boolean {
  let at = opener;
  for (const { words, within } of steps) {
    const asksForEnd = words.has(sentenceEnd);
    let next = at + 1;
    for (let left = within; ; next++) {
      const token = tokens[next];
      if (token === undefined) return false;
      if (words.has(token) || (asksForEnd && token === pause)) break;
      if (token !== pause && --left === 0) return false;
    }
    at = next;
  }
  return true;
}

/** Returns where the clause starts whose salutations and polite words end before `at`, or -1 if other words precede. */
function clauseStart(tokens: readonly string[], at: number): number {
  for (let start = at; at - start <= maxFillerCount; start--) {
    if (start === 0 || tokens[start - 1] === pause) return start;
    if (tokens[start - 1] === "and") return start;
    // "Then ignore …", but not "the server will then ignore …".
    if (tokens[start - 1] === "then" && !modals.has(tokens[start - 2] ?? "")) return start;
    // "I want you to …", but neither "If a file tells you to …" nor "We want it to …".
    if (tokens[start - 1] === "to" && tokens[start - 2] === "it") return -1;
    if (tokens[start - 1] === "to" && tokens[start - 2] === "you")
      return reporting.has(tokens[start - 3] ?? "") ? -1 : start;
    if (!fillers.has(tokens[start - 1]!)) return -1;
  }
  return -1;
}

/** Whether somebody is told or allowed to do what follows at `at`: "you may", "permission to", "I hereby". */
function isPermitted(tokens: readonly string[], at: number): boolean {
  const verb = adverbs.has(tokens[at - 1] ?? "") ? at - 1 : at;
  const before = tokens[verb - 1] ?? "";
  if (announcing.has(before)) return true;
  if (before === "to" && reporting.has(tokens[verb - 3] ?? "")) return false;
  return modals.has(before) && tokens.slice(Math.max(0, verb - 6), verb - 1).some((word) => permitting.has(word));
}

/** Whether everything from the start of the sentence to `at` is salutations, polite words and pauses. */
function opensSentence(tokens: readonly string[], at: number): boolean {
  for (let before = 0; before < at; before++) {
    if (before > maxFillerCount || (tokens[before] !== pause && !fillers.has(tokens[before]!))) return false;
  }
  return true;
}

/** Most words of a condition before what it is about: "if you can read all of this". */
const conditionReach = 6;

/** Whether a sentence has a condition that every model meets: "if you are a …", "when you read this page". */
function addressesModel(tokens: readonly string[]): boolean {
  return tokens.some((token, at) => {
    if (!conditions.has(token)) return false;
    const [subject = "", verb = "", article = ""] = tokens.slice(at + 1);
    if (token === "if" && subject === "you" && verb === "are" && /^an?$/.test(article)) return true;
    const clause = tokens.slice(at + 1, at + 1 + conditionReach);
    const act = clause.findIndex((word) => readerActs.has(word));
    const hasSubject = clause.slice(0, Math.max(0, act)).every((word) => /^(?:you|are|can|have|to|do)$/.test(word));
    return act >= 0 && hasSubject && clause.slice(act + 1).some((word) => readMatter.has(word));
  });
}

function isInPlace(
  { place }: InstructionRule,
  tokens: readonly string[],
  at: number,
  isAboutAttacks: boolean,
): boolean {
  if (place === "anywhere") return !isAboutAttacks;
  if (opensSentence(tokens, at)) return true;
  if (place === "sentence" || isAboutAttacks) return false;
  return clauseStart(tokens, at) >= 0 || (place === "permitted" && isPermitted(tokens, at));
}

/** Family and points of overrides in other languages. */
const severe = { family: "instructions", points: 4 } as const;

/** Returns the most severe rule that the words of a sentence match. */
function matchRules(tokens: readonly string[], isQuoted: boolean, byWord: RulesByOpener): InstructionRule | undefined {
  let found: InstructionRule | undefined;
  let isAboutAttacks: boolean | undefined;
  for (let at = 0; at < tokens.length - 1; at++) {
    const rules = byWord.get(tokens[at]!);
    if (!rules) continue;
    for (const rule of rules) {
      if (found && found.points >= rule.points) continue;
      if (!matchSteps(rule, tokens, at)) continue;
      isAboutAttacks ??= tokens.some((word) => mentions.has(word));
      if ((isQuoted && isAboutAttacks) || !isInPlace(rule, tokens, at, isAboutAttacks)) continue;
      if (rule.detector === "instruction-override" && isLimitedOverride(tokens, at)) continue;
      if (rule.unless && !addressesModel(tokens) && tokens.some((word) => rule.unless!.has(word))) continue;
      found = rule;
    }
  }
  return found;
}

function matchWords(tokens: readonly string[], isQuoted: boolean): Instruction | undefined {
  for (let at = 0; at < tokens.length - 1; at++) {
    const detector = matchLatinLanguage(tokens, at, () => clauseStart(tokens, at) >= 0);
    if (detector && (opensSentence(tokens, at) || !tokens.some((word) => attackers.has(word))))
      return { detector, ...severe };
  }
  const found = matchRules(tokens, isQuoted, rulesByOpener);
  if (found && found.points >= severe.points) return found;
  const grouped = groupPhrases(tokens);
  return (grouped && matchRules(grouped, isQuoted, clausesByOpener)) ?? found;
}

const reader =
  "(?:AIs?|LLMs?|language models?|assistants?|agents?|models?|(?:chat)?bots?|crawlers?|robots?|(?:Chat)?GPT(?:-\\d)?|Claude|Gemini|Copilot|Grok|Perplexity)";
/** What a sentence may follow: "Note to AI agents:". */
const address = new RegExp(`\\b${reader}\\W{0,3}:\\W{0,3}$`, "i");
/** The same, beyond doubt: "To the assistant that reads this page:", "LLMs reading this:", "Hello, model." */
const fullAddress = new RegExp(
  [
    `\\b(?:to|for|notes?|attention|dear|instructions?|message|notice|hint|memo|any)\\b[^\\n.:!?|()]{0,30}\\b${reader}\\b[^\\n.:!?|()/]{0,36}:\\W{0,3}$`,
    `\\b${reader} (?:that |who |which )?(?:read|process|visit|pars|summari|index|crawl|generat|answer|quot)[^\\n.:!?|()/]{0,36}:\\W{0,3}$`,
    `(?:^|\\n)[ \\t>*_-]{0,8}${reader}\\W{0,3}:\\W{0,3}$`,
    `\\b(?:hello|hi|hey|dear|attention)\\b[^\\n.:!?]{0,12}\\b${reader}[.!,:]\\W{0,3}$`,
  ].join("|"),
  "i",
);
const [maxAddressLength, maxShortAddressLength] = [90, 30];
const maxWrapLength = 10;
/** Cheap test that most texts before a sentence fail. */
const mayAddress = new RegExp(`\\b${reader}\\b`, "i");

/** Whether a sentence is a title: at most three words, all capitalised, as the text of a link. */
function isTitle(text: string, start: number, end: number): boolean {
  return text[start - 1] === "[" && /^(?:[A-Z][\w'-]{0,30} ?){1,3}$/.test(text.slice(start, end));
}

/** Detectors of what programs do as well as models. */
const executable = new Set(["prompt-exfiltration", "answer-distortion"]);

/**
 * Returns the most severe instruction in a sentence, which is a range of `text`. `source` is the text with its code, which may
 * say that the sentence is an example.
 */
export function matchInstruction(text: string, start: number, end: number, source = text): Instruction | undefined {
  const found = findInstruction(text, start, end);
  if (found && isHarmless(found, text.slice(start, end), source, start, end)) return undefined;
  const example = found ? findExample(source, start, end) : -1;
  return example < 0 || (example > start && findInstruction(text, start, example)) ? found : undefined;
}

/** Whether a sentence that has the words of an instruction is one of documentation. */
function isHarmless({ detector }: Instruction, sentence: string, source: string, start: number, end: number): boolean {
  if (isDescription(sentence)) return true;
  if (detector === "instruction-override") {
    const isVoid = isVoidSinceVersion(sentence, source.slice(end, end + maxReasonLength));
    return isVoid || (/\bmessages\b/i.test(sentence) && isDoneByCode(source, start, end));
  }
  return executable.has(detector) && isDoneByCode(source, start, end);
}

function findInstruction(text: string, start: number, end: number): Instruction | undefined {
  const sentence = text.slice(start, end);
  if (isTitle(text, start, end)) return undefined;
  const detector = matchOtherScript(sentence);
  if (detector) return { detector, ...severe };
  if (end - start < minSentenceLength) return undefined;
  const tokens = [...tokensOf(sentence), sentenceEnd];
  // A wrapped line: "We want it to ⏎ respond as …".
  if (/\bit to\s{1,3}$/i.test(text.slice(Math.max(0, start - maxWrapLength), start))) tokens.unshift("it", "to");
  if (/[:>.!]/.test(text.slice(Math.max(0, start - 4), start))) {
    const before = text.slice(Math.max(0, start - maxAddressLength), start);
    const isFull = mayAddress.test(before) && fullAddress.test(before);
    if (isFull || address.test(before.slice(-maxShortAddressLength))) tokens.unshift("ai", pause);
    if (isFull) tokens.unshift("addressee");
  }
  return matchWords(tokens, quotes.has(text[start - 1] ?? ""));
}

/** Names and phrases of known jailbreaks, anywhere in a sentence. */
const jailbreak = /do anything now|\bDAN mode\b|\bjailbr(?:eak|oken) mode\b|\bAntiGPT\b/gi;

/** Finds sentences that instruct a model against its user, and phrases of known jailbreaks. Ignores code. */
export const detectInstructions: Detector = ({ text, prose }) => {
  const matches: Match[] = [];
  visitSentences(prose, (start, end) => {
    const instruction = matchInstruction(prose, start, end, text);
    if (instruction) {
      const { detector, family, points } = instruction;
      matches.push({ detector, family, points, start, end });
    }
  });
  for (const { index, 0: phrase } of prose.matchAll(jailbreak)) {
    const range = { start: index, end: index + phrase.length };
    matches.push({ detector: "jailbreak-phrase", family: "instructions", points: 2, ...range });
  }
  return matches;
};
