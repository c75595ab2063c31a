import { matchInstruction } from "./detect-instructions";
import type { Detector, Match } from "./finding";
import { visitSentences } from "./sentences";
import { wordsOf } from "./words";

/** Length up to which a comment or hidden element is read, in UTF-16 code units. */
const maxHiddenLength = 4_000;
/** Most comments, and most hidden elements, that are read. The sentences of all of them are examined as prose too. */
const maxHiddenCount = 10_000;
const readers = new Set(
  "ai llm llms assistant assistants agent agents chatgpt claude gemini copilot gpt bots".split(" "),
);
const demands = new Set(
  "must should always don't ignore please recommend tell instead say mention visit send".split(" "),
);
/** Most words between the reader's name and the demand. */
const maxDistance = 4;

/** Whether a text addresses a model and demands something. */
function addressesModel(text: string): boolean {
  let reader = Number.NEGATIVE_INFINITY;
  return wordsOf(text).some((word, index) => {
    if (readers.has(word)) reader = index;
    return index - reader <= maxDistance && demands.has(word);
  });
}

/** Fewest points of an instruction that make a hidden text a finding. */
const minInstructionPoints = 2;

function hasInstruction(text: string): boolean {
  let isFound = false;
  visitSentences(text, (start, end) => {
    isFound ||= (matchInstruction(text, start, end)?.points ?? 0) >= minInstructionPoints;
  });
  return isFound || addressesModel(text);
}

/** Finds comments with instructions, which only models read. An unclosed comment extends to the end of the text. */
function* detectComments(prose: string): Generator<Match> {
  let start = prose.indexOf("<!--");
  for (let count = 0; start >= 0 && count < maxHiddenCount; count++) {
    const close = prose.indexOf("-->", start + 4);
    const end = close < 0 ? prose.length : close;
    if (hasInstruction(prose.slice(start + 4, Math.min(end, start + 4 + maxHiddenLength)))) {
      yield { detector: "instructing-comment", family: "html", points: 3, start, end };
    }
    start = close < 0 ? -1 : prose.indexOf("<!--", close + 3);
  }
}

/** A link definition that is used as a comment: `[//]: # (text)`, `[note]: <> (text)`. */
const definition = /^ {0,3}\[[^\]\n]{1,60}\]:[ \t]{0,4}(?:#|<#?>)[ \t]{1,4}["'(]([^\n]{1,2000})/gm;

function* detectDefinitions(prose: string): Generator<Match> {
  let count = 0;
  for (const { index, 0: line, 1: text = "" } of prose.matchAll(definition)) {
    if (count++ >= maxHiddenCount) return;
    if (!hasInstruction(text)) continue;
    yield { detector: "instructing-comment", family: "html", points: 3, start: index, end: index + line.length };
  }
}

/** An opening tag with attributes; `[^<>]` ends at the next tag. */
const tag = /<([a-z]{1,12})\s[^<>]{1,600}>/gi;
/** Attributes and styles that hide an element, without white space. */
const hiding =
  /display:none|visibility:hidden|opacity:0(?![.\d]*[1-9])|font-size:[01](?:px|pt|em|rem|%)?(?=[;"'])|(?:left|top|text-indent|margin-left):-\d{3,5}|(?<![-\w])color:(?:white|transparent|#fff(?:fff)?)(?![\w])|(?:height|width):0(?:px)?[;"']|<fontsize=["']?[01]["'>]|<fontcolor=["']?(?:white|#fff)/;
const hiddenAttribute = /\shidden(?=[\s>=])/i;

/** Kinds of words that a text for models has; documentation rarely hides two of them. */
const signals = [
  readers,
  demands,
  new Set("your you're".split(" ")),
  new Set(
    "user user's instructions rules systemprompt prompt disregard competitors summarising summarizing".split(" "),
  ),
];

/** Whether a hidden text has words of two kinds. A comment needs more, because developers write to each other there. */
function isMeantForModels(text: string): boolean {
  const words = new Set(wordsOf(text));
  return signals.filter((kind) => [...kind].some((word) => words.has(word))).length > 1;
}

/** Finds elements that browsers do not show and that contain instructions. */
function* detectHiddenElements(prose: string): Generator<Match> {
  let [count, readUpTo] = [0, 0];
  for (const { index, 0: opening, 1: name = "" } of prose.matchAll(tag)) {
    if (index < readUpTo || !(hiddenAttribute.test(opening) || hiding.test(opening.toLowerCase().replace(/\s/g, ""))))
      continue;
    if (count++ >= maxHiddenCount) return;
    const start = index + opening.length;
    const near = prose.slice(start, start + maxHiddenLength);
    const close = near.toLowerCase().indexOf(`</${name.toLowerCase()}`);
    const content = close < 0 ? near : near.slice(0, close);
    readUpTo = start + content.length;
    if (!hasInstruction(content) && !isMeantForModels(content)) continue;
    yield { detector: "hidden-instruction", family: "html", points: 3, start: index, end: readUpTo };
  }
}

/** Finds instructions in comments and in elements that browsers do not show. Ignores code. */
export const detectHiddenHtml: Detector = function* ({ prose }) {
  yield* detectComments(prose);
  yield* detectDefinitions(prose);
  yield* detectHiddenElements(prose);
};
