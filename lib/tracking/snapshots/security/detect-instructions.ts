import { type Detector, isOnDomain, type Match } from "./finding";
import { type InstructionRule, instructionRules, wordClass } from "./instruction-rules";
import { groupOpeners, visitSentences, wordsOf } from "./sentences";

/** Most salutations and polite words that are skipped. */
const maxFillerCount = 8;
/** Shortest sentence that any rule matches, in UTF-16 code units. */
const minSentenceLength = 10;
const fillers = wordClass("FILLER");

const rulesByOpener = new Map<string, InstructionRule[]>();
for (const rule of instructionRules) {
  for (const word of rule.opens) rulesByOpener.set(word, [...(rulesByOpener.get(word) ?? []), rule]);
}
/** Words that a sentence must start with to be examined. */
const openers = new Set([...rulesByOpener.keys(), ...fillers, ...groupOpeners]);

const firstWord = /[A-Za-z'’-]+/y;
/** Length that is sure to include the first word, in UTF-16 code units. */
const headLength = 24;

function opensLikeAnInstruction(text: string, start: number, end: number): boolean {
  firstWord.lastIndex = start;
  const [word = ""] = firstWord.exec(text) ?? [];
  const isPlain = word !== "" && !(text.charCodeAt(start + word.length) > 127);
  if (isPlain) return openers.has(word.toLowerCase());
  return openers.has(wordsOf(text.slice(start, Math.min(end, start + headLength)))[0] ?? "");
}

function matchSteps({ steps }: InstructionRule, words: readonly string[], opener: number): boolean {
  let at = opener;
  for (const step of steps) {
    const last = Math.min(at + step.within, words.length - 1);
    let next = at + 1;
    while (next <= last && !step.words.has(words[next]!)) next++;
    if (next > last) return false;
    at = next;
  }
  return true;
}

const address = /https?:\/\/([^\s/?#<>"'`)\]}]{1,253})/gi;

/** Whether a text contains a URL outside the domain and its subdomains. */
function hasForeignUrl(text: string, domain: string): boolean {
  for (const [, authority = ""] of text.matchAll(address)) {
    const host = authority.replace(/^.*@/, "").replace(/:\d*$/, "");
    if (!isOnDomain(host, domain)) return true;
  }
  return false;
}

/** Returns the most severe rule that a sentence matches. The sentence is a range of `text`. */
export function matchInstruction(
  text: string,
  start: number,
  end: number,
  domain: string,
): InstructionRule | undefined {
  if (end - start < minSentenceLength) return undefined;
  if (!opensLikeAnInstruction(text, start, end)) return undefined;
  const sentence = text.slice(start, end);
  const words = wordsOf(sentence);
  let found: InstructionRule | undefined;
  for (let opener = 0; opener <= Math.min(maxFillerCount, words.length - 1); opener++) {
    for (const rule of rulesByOpener.get(words[opener]!) ?? []) {
      if (found && found.points >= rule.points) continue;
      if (!matchSteps(rule, words, opener)) continue;
      if (rule.unless && words.some((word) => rule.unless!.has(word))) continue;
      if (rule.needsForeignAddress && !hasForeignUrl(sentence, domain)) continue;
      found = rule;
    }
    if (!fillers.has(words[opener]!)) break;
  }
  return found;
}

/** Names and phrases of known jailbreaks, anywhere in a sentence. */
const jailbreak = /do anything now|\bDAN mode\b|\bjailbr(?:eak|oken) mode\b|\bAntiGPT\b/gi;

/** Finds sentences that instruct a model against its user, and phrases of known jailbreaks. Ignores code. */
export const detectInstructions: Detector = ({ prose, domain }) => {
  const matches: Match[] = [];
  visitSentences(prose, (start, end) => {
    const rule = matchInstruction(prose, start, end, domain);
    if (rule) matches.push({ detector: rule.detector, family: rule.family, points: rule.points, start, end });
  });
  for (const { index, 0: phrase } of prose.matchAll(jailbreak)) {
    const range = { start: index, end: index + phrase.length };
    matches.push({ detector: "jailbreak-phrase", family: "instructions", points: 2, ...range });
  }
  return matches;
};
