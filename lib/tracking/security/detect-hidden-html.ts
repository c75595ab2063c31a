import { matchInstruction } from "./detect-instructions";
import type { Detector, Match } from "./finding";
import hidden from "./phrases/hidden.json" with { type: "json" };
import { visitSentences } from "./sentences";
import { readWords } from "./word-lists";
import { wordsOf } from "./words";

const { readers, claims, obligations, articles, addressing, subjects } = readWords(hidden);

/** Length up to which a comment or hidden element is read, in UTF-16 code units. */
const maxHiddenLength = 4_000;
/** Most comments, and most hidden elements, that are read. The sentences of all of them are examined as prose too. */
const maxHiddenCount = 10_000;
const demands = new Set([...claims, ...obligations]);
/** Most words between the reader's name and the demand. */
const maxDistance = 4;

/** Whether a text addresses a model and demands something. */
function addressesModel(text: string): boolean {
  const words = wordsOf(text);
  let reader = Number.NEGATIVE_INFINITY;
  return words.some((word, index) => {
    if (readers.has(word)) reader = index;
    if (index - reader > maxDistance) return false;
    const isDescribed = articles.has(words[reader - 1] ?? "") && words[reader - 2] !== "are";
    return (isDescribed ? claims : demands).has(word);
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

/** Marks around what is not displayed: comments of HTML, MDX and template languages, and parts of XML. */
const comments: readonly (readonly [open: string, close: string])[] = [
  ["<!--", "-->"],
  ["{/*", "*/}"],
  ["{#", "#}"],
  ["{% comment %}", "{% endcomment %}"],
  ["{{!", "}}"],
  ["<![CDATA[", "]]>"],
  ["<?", ">"],
  ["<template", "</template"],
  ["<noscript", "</noscript"],
  ["<desc", "</desc"],
  ["<metadata", "</metadata"],
];

/** Finds comments with instructions, which only models read. An unclosed HTML comment extends to the end of the text. */
function* detectComments(prose: string, [open, close]: readonly [string, string]): Generator<Match> {
  const isHtml = open === "<!--";
  let start = prose.indexOf(open);
  for (let count = 0; start >= 0 && count < maxHiddenCount; count++) {
    const closeAt = prose.indexOf(close, start + open.length);
    if (closeAt < 0 && !isHtml) return;
    const end = closeAt < 0 ? prose.length : closeAt;
    if (hasInstruction(prose.slice(start + open.length, Math.min(end, start + open.length + maxHiddenLength)))) {
      yield { detector: "instructing-comment", family: "html", points: 3, start, end };
    }
    start = closeAt < 0 ? -1 : prose.indexOf(open, closeAt + close.length);
  }
}

/** Title of a link definition, also of one that is used as a comment: `[//]: # (text)`, `[docs]: https://… "text"`. */
const definition = /^ {0,3}\[[^\]\n]{1,60}\]:[ \t]{0,4}[^\s"'(]{1,500}[ \t]{1,4}["'(]([^\n]{1,2000})/gm;

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
/** Styles that hide an element, without white space. */
const zero = "0(?:px|pt|em|rem|%)?[;\"'!]";
const whitish = String.raw`white|transparent|#f{3,4}\b|#(?:f[\da-f]){3,4}\b|rgba?\((?:25[0-5],){2}25[0-5]|rgba\([\d,]{5,12},0?\.?0*\)`;
const hiding = new RegExp(
  [
    /display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|opacity:(?:0?\.0|0(?![.\d]*[1-9]))/.source,
    /font-size:(?:0*(?:\.\d+)?(?:px|pt|%)?|[12](?:\.\d+)?(?:px|pt|%)|0*(?:\.[0-2]\d*)?(?:em|rem|ex|vw))(?=[;"'!])/
      .source,
    /(?:left|right|top|bottom|text-indent|margin(?:-\w{3,6})?|translate[xy]?\():?-(?:\d{3,5}|\d{2,4}(?:em|rem|vw|vh))/
      .source,
    /clip(?:-path)?:(?:inset\((?:100|50)%|rect\([01](?:px)?[,0-9a-z]{0,24}\)|circle\(0)|scale[xy]?\(0(?![.\d]*[1-9])/
      .source,
    `(?<![-\\w])color:(?:${whitish})`,
    `(?:max-|line-)?(?:height|width):${zero}`,
    /<fontsize=["']?[01]["'>]|<fontcolor=["']?(?:white|#fff)/.source,
    // The same colour twice.
    /(?<![-\w])color:(?<front>[^;"']{3,30});(?:[^"']{0,200};)?background(?:-color)?:\k<front>[;"']/.source,
    /background(?:-color)?:(?<back>[^;"']{3,30});(?:[^"']{0,200};)?color:\k<back>[;"']/.source,
  ].join("|"),
);
const hiddenAttribute = /\s(?:hidden(?=[\s>=])|aria-hidden\s{0,3}=\s{0,3}["']?true|type\s{0,3}=\s{0,3}["']?hidden)/i;
/** Classes for texts that only screen readers, or nobody, gets. Documentation has them around short labels. */
const hidingClass =
  /\sclass(?:name)?\s{0,3}=\s{0,3}["'][^"']{0,200}\b(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?|hidden|invisible|d-none|is-hidden|offscreen|text-transparent|opacity-0)\b/i;
/** Attributes whose text is not displayed, or only on demand. */
const quiet =
  /\s(title|alt|content|value|placeholder|label|summary|aria-[a-z]{1,20}|data-[a-z-]{1,40})\s{0,3}=\s{0,3}(?:"([^"]{8,500})"|'([^']{8,500})')/gi;
const named = /["'](?:ai|llms?|agents?|assistants?|gpt|chatgpt|claude)[-_:]|[-_:](?:ai|llms?|agents?|assistants?)["']/i;

/** Attributes whose paths are no names of the element: `href="/docs/agents"`. */
const links = /\s(?:href|src|to|url)\s{0,3}=\s{0,3}(?:"[^"]{0,500}"|'[^']{0,500}')/gi;

/** Kinds of words that a text for models has; documentation rarely hides two of them. */
const signals = [readers, demands, addressing, subjects];

/** Whether a hidden text has words of two kinds. A comment needs more, because developers write to each other there. */
function isMeantForModels(text: string): boolean {
  const words = new Set(wordsOf(text));
  return signals.filter((kind) => [...kind].some((word) => words.has(word))).length > 1;
}

/** Whether an attribute of a tag instructs a model. */
function hasInstructingAttribute(opening: string): boolean {
  const isNamed = named.test(opening) && named.test(opening.replace(links, ""));
  for (const [, , double, single] of opening.matchAll(quiet)) {
    const text = double ?? single ?? "";
    if (hasInstruction(text) || (isNamed && isMeantForModels(text))) return true;
  }
  return false;
}

/** Finds elements that browsers do not show, and attributes, that contain instructions. */
function* detectHiddenElements(prose: string): Generator<Match> {
  let [count, readUpTo] = [0, 0];
  const finding = { detector: "hidden-instruction", family: "html", points: 3 } as const;
  for (const { index, 0: opening, 1: name = "" } of prose.matchAll(tag)) {
    if (index < readUpTo) continue;
    if (count >= maxHiddenCount) return;
    const start = index + opening.length;
    if (opening.includes("=") && hasInstructingAttribute(opening)) yield { ...finding, start: index, end: start };
    const isHidden = hiddenAttribute.test(opening) || hiding.test(opening.toLowerCase().replace(/\s/g, ""));
    if (!isHidden && !hidingClass.test(opening)) continue;
    count++;
    const near = prose.slice(start, start + maxHiddenLength);
    const close = near.toLowerCase().indexOf(`</${name.toLowerCase()}`);
    const content = close < 0 ? near : near.slice(0, close);
    readUpTo = start + content.length;
    if (!hasInstruction(content) && !(isHidden && isMeantForModels(content))) continue;
    yield { ...finding, start: index, end: readUpTo };
  }
}

/** Finds instructions in comments and in elements that browsers do not show. Ignores code. */
export const detectHiddenHtml: Detector = function* ({ prose }) {
  for (const marks of comments) yield* detectComments(prose, marks);
  yield* detectDefinitions(prose);
  yield* detectHiddenElements(prose);
};
