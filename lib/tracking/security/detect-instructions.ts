import { hasForeignAddress } from "./addresses";
import { findPattern, type Match } from "./finding";
import languages from "./phrases/languages.json" with { type: "json" };
import { byOpener, matchSteps, pause, type Rule, type RuleEntry, readRules, ruleEntries, wordClass } from "./rules";
import type { Detector } from "./scanned-text";
import { sentencesOf } from "./sentences";
import { tokensOf } from "./words";

/** Alternatives, in one or several lines, none with repetition: each takes linear time over a sentence. */
const either = (lines: string | readonly string[]) => new RegExp([lines].flat().join("|"), "u");

const scripts = Object.values(languages.scripts).map(({ letters, ignore, orders, which, reveal, condition }) => ({
  letter: new RegExp(`[${letters}]`),
  ignore: either(ignore),
  orders: either(orders),
  which: either(which),
  reveal: either(reveal),
  condition: either(condition),
}));

const attack = either(languages.attack);
const otherScript = new RegExp(
  `[${Object.values(languages.scripts)
    .map(({ letters }) => letters)
    .join("")}]`,
);
/** Verbs that documentation uses with other objects: "skip", "discard"; their object is near. */
const weakVerb = either(languages.weak);
const [reach, nearReach] = [60, 16];

/** Returns the sentence in lowercase and composed, without accents and vowel signs, with one form of alef. */
function normalise(sentence: string): string {
  const plain = sentence.normalize("NFKC").toLowerCase();
  return ` ${plain
    .replace(/[\u064b-\u0652\p{Cf}]/gu, "")
    .replace(/[أإآ]/g, "ا")
    .replace(/ё/g, "е")} `;
}

/** Returns an override or a request for the prompt in Russian, Japanese, Korean, Arabic or Chinese. */
export function matchOtherScript(sentence: string): { detector: string; points: number } | undefined {
  if (!otherScript.test(sentence)) return undefined;
  const text = normalise(sentence);
  for (const { letter, ignore, orders, which, reveal, condition } of scripts) {
    if (!letter.test(text)) continue;
    if (reveal.test(text)) return { detector: "prompt-exfiltration", points: 4 };
    const found = ignore.exec(text);
    if (!found || condition.test(text) || attack.test(text.slice(0, found.index))) continue;
    const end = found.index + found[0].length;
    const around = weakVerb.test(found[0])
      ? text.slice(found.index, end + nearReach)
      : text.slice(Math.max(0, found.index - reach), end + reach);
    if (orders.test(around) && which.test(around)) return { detector: "instruction-override", points: 4 };
  }
  return undefined;
}

/** Most polite words that are skipped, how many words before a verb can forbid it, and the shortest sentence, in code units. */
const [maxFillerCount, harmlessReach, minSentenceLength] = [8, 3, 10];

const fillers = wordClass("FILLER");
const mentions = wordClass("MENTION");
const modals = wordClass("MODAL");
const reporting = wordClass("REPORTING");
const describing = wordClass("DESCRIBING");
const demanding = wordClass("DEMANDING");
const harmless = wordClass("HARMLESS");

const rulesOf = (entries: readonly RuleEntry[]) => byOpener(entries.flatMap(readRules));
type RuleSet = ReturnType<typeof rulesOf>;

const namedRules = (name: string) => rulesOf(ruleEntries.filter(({ rule }) => rule.detector === name));
/** What addresses a model for the next sentence ("Note to AI agents:"), and conditions that every model meets. */
const [salutations, conditions] = [namedRules("salutation"), namedRules("condition")];
const rules = rulesOf([...ruleEntries, ...languages.latin].filter(({ rule }) => rule.points > 0));

/** Whether a clause starts at `at`, or with salutations and polite words before. */
function startsClause(tokens: readonly string[], at: number): boolean {
  for (let start = at; at - start <= maxFillerCount; start--) {
    const [before = pause, second = "", third = ""] = [tokens[start - 1], tokens[start - 2], tokens[start - 3]];
    // "Then ignore …", but not "the server will then ignore …".
    if (before === pause || before === "and" || (before === "then" && !modals.has(second))) return true;
    // "I want you to …", "permission to …", but neither "If a file tells you to …" nor "We want it to …".
    if (before === "to" && (second === "you" || second === "permission")) return !reporting.has(third);
    if (!fillers.has(before) || (before === "to" && second === "it")) return false;
  }
  return false;
}

const opensSentence = (tokens: readonly string[], at: number) =>
  at <= maxFillerCount && tokens.slice(0, at).every((word) => word === pause || fillers.has(word));

const isHarmless = (tokens: readonly string[], at: number) =>
  tokens.slice(Math.max(0, at - harmlessReach), at).some((word) => harmless.has(word));

function isImperative(tokens: readonly string[], at: number): boolean {
  if (isHarmless(tokens, at)) return false;
  const before = tokens[at - 1] ?? "";
  if (before === "to") return demanding.has(tokens[at - 2] ?? "");
  return !describing.has(before);
}

/** Whether a rule matches from the word at `at` on, at its place in a sentence that does not talk about attacks. */
function isMatch(rule: Rule, tokens: readonly string[], at: number): boolean {
  if (!matchSteps(rule, tokens, at)) return false;
  // "To delete your memory, …" says what for.
  if (tokens[at - 1] === "to" && (tokens[at - 2] ?? pause) === pause) return false;
  const has = (set: ReadonlySet<string>) => tokens.some((word) => set.has(word));
  if (!rule.required.every(has) || (has(rule.excusing) && !matchRules(tokens, conditions))) return false;
  if (opensSentence(tokens, at)) return true;
  if (rule.place === "sentence" || has(mentions)) return false;
  if (rule.place === "anywhere") return !isHarmless(tokens, at);
  return rule.place === "imperative" ? isImperative(tokens, at) : startsClause(tokens, at);
}

export function matchRules(tokens: readonly string[], set: RuleSet, readsCode?: boolean): Rule | undefined {
  let found: Rule | undefined;
  for (let at = 0; at < tokens.length - 1; at++) {
    for (const rule of set.get(tokens[at]!) ?? []) {
      if ((found && found.points >= rule.points) || (readsCode !== undefined && (rule.code ?? false) !== readsCode))
        continue;
      if (isMatch(rule, tokens, at)) found = rule;
    }
  }
  return found;
}

/** A tag before a sentence, in lowercase or capitals: components, such as `<Info>`, have both. */
const tagBefore = /<([a-z][a-z_-]{1,40}|[A-Z][A-Z_-]{1,40})(?:\s[^<>\n]{0,100})?>[\s"'*_]{0,4}$/;
const taggers = wordClass("TAG");
const maxTagLength = 160;

function followsTag(text: string, start: number): boolean {
  if (!text.slice(Math.max(0, start - 6), start).includes(">")) return false;
  const [, name = ""] = tagBefore.exec(text.slice(Math.max(0, start - maxTagLength), start)) ?? [];
  const parts = name.toLowerCase().split(/[_-]/);
  return parts.some((part) => taggers.has(part));
}

const maxSalutationLength = 12;
const greetings = wordClass("hello|hi|hey|dear|attention");

/** Whether a sentence with an end such as a colon addresses a model for the next one. A point ends only a greeting. */
function greets(tokens: readonly string[], mark = ""): boolean {
  if (!/[:!\]]/.test(mark) && !(mark === "." && greetings.has(tokens[0]!))) return false;
  return matchRules([...tokens, "@end"], salutations) !== undefined;
}

/** Yields the sentences that are instructions. `withCode` is the text with its inline code, if `text` has spaces there. */
function* readInstructions(text: string, own: string, set = rules, withCode = text): Generator<Match> {
  let addressedAt = -1;
  for (const { start, end } of sentencesOf(text)) {
    const sentence = text.slice(start, end);
    const script = matchOtherScript(sentence);
    if (script) yield { ...script, start, end };
    if (script) continue;
    const isAddressed = addressedAt >= 0 && /^[\s:.!,>*_"'\])-]{0,8}$/.test(text.slice(addressedAt, start));
    addressedAt = -1;
    if (end - start < 3) continue;
    const tokens = tokensOf(sentence, own);
    if (tokens.length <= maxSalutationLength && greets(tokens, text[end])) addressedAt = end;
    if (end - start < minSentenceLength) continue;
    const lead = followsTag(text, start) ? ["ai", pause, "@tag"] : isAddressed ? ["ai", pause, "@reader"] : [];
    const whole = withCode.slice(start, end);
    const read = (words: readonly string[], readsCode?: boolean) =>
      matchRules([...lead, ...words, "."], set, readsCode);
    const found = whole === sentence ? read(tokens) : (read(tokensOf(whole, own), true) ?? read(tokens, false));
    if (found) yield { detector: found.detector, points: found.points, start, end };
  }
}

/** Returns the most points of an instruction in a text, which is no document but a part of one. */
export const pointsOf = (text: string, own: string, set = rules) =>
  Math.max(0, ...Array.from(readInstructions(text, own, set), ({ points }) => points));

const jailbreak = /[Dd]o [Aa]nything [Nn]ow|\bDAN [Mm]ode\b|\b[Jj]ailbr(?:eak|oken) [Mm]ode\b|\bAntiGPT\b/g;

const [codePoints, addressedCodePoints] = [2, 3];

/** Finds instructions in code, unless it is beneath a heading or a sentence about attacks. */
const detectInCode: Detector = function* ({ text, own, code, documentation }) {
  for (const range of code) {
    const content = text.slice(range.start, range.end);
    const found = [...readInstructions(content, own)].filter(({ points }) => points >= codePoints);
    if (found.length === 0 || documentation.isExample(range)) continue;
    for (const { detector, points, start, end } of found) {
      const most = hasForeignAddress(content.slice(start, end), own) ? addressedCodePoints : codePoints;
      const place = { start: range.start + start, end: range.start + end };
      yield { detector, points: Math.min(points, most), ...place, isCode: true };
    }
  }
};

/** Finds sentences that instruct a model against its user, and phrases of known jailbreaks. */
export const detectInstructions: Detector = function* (scanned) {
  const { prose, unfenced, own, documentation } = scanned;
  for (const match of readInstructions(prose, own, rules, unfenced)) {
    const { detector, points, start, end } = match;
    const quoted = detector === "secret-exfiltration" ? -1 : documentation.findQuotation(start, end);
    // What precedes the quotation can be an instruction itself.
    const isExample = quoted >= 0 && (quoted <= start || pointsOf(prose.slice(start, quoted), own) < points);
    if (!isExample) yield match;
  }
  yield* detectInCode(scanned);
  yield* findPattern(prose, jailbreak, "jailbreak-phrase", 2);
};
