import { pointsOf } from "./detect-instructions";
import type { Match } from "./finding";
import { wordClass } from "./rules";
import type { Detector } from "./scanned-text";
import { tokensOf } from "./words";

const maxHiddenLength = 4_000;
/** Parts in which hidden text is read: in more of it, any words occur together. */
const part = /[\s\S]{1,300}(?=\s|$)/g;
const maxHiddenCount = 10_000;
/** Kinds of words that a text for models has; documentation rarely hides two of them. */
const claims = wordClass("HIDDEN_CLAIM");
const [reader, ...others] = [
  "HIDDEN_READER",
  "HIDDEN_CLAIM|must|should|please|instead|send",
  "your|you're",
  "HIDDEN_SUBJECT",
].map(wordClass);

/** Whether a hidden text instructs a model. Developers write to each other in comments, so one needs a model there. */
function isForModels(text: string, isComment: boolean): boolean {
  if (pointsOf(text, "") >= 2) return true;
  return (text.match(part) ?? []).some((each) => {
    const words = tokensOf(each);
    const has = (kind: ReadonlySet<string>) => words.some((word) => kind.has(word));
    if (isComment) return has(reader!) && has(claims);
    return others.filter(has).length > (has(reader!) ? 0 : 1);
  });
}

/** Marks around what is not displayed: comments of HTML, MDX and template languages, and parts of XML. */
const comments: Readonly<Record<string, string>> = {
  "<!--": "-->",
  "{/*": "*/}",
  "{#": "#}",
  "{% comment %}": "{% endcomment %}",
  "{{!": "}}",
  "<![CDATA[": "]]>",
  "<?": ">",
  "<template": "</template",
  "<noscript": "</noscript",
  "<desc": "</desc",
  "<metadata": "</metadata",
};

const finding = { detector: "hidden-instruction", points: 3 } as const;

/** Finds comments with instructions, which only models read. An unclosed HTML comment extends to the end of the text. */
function* detectComments(prose: string, open: string, close: string): Generator<Match> {
  let start = prose.indexOf(open);
  for (let count = 0; start >= 0 && count < maxHiddenCount; count++) {
    const closeAt = prose.indexOf(close, start + open.length);
    if (closeAt < 0 && open !== "<!--") return;
    const end = closeAt < 0 ? prose.length : closeAt;
    if (isForModels(prose.slice(start + open.length, Math.min(end, start + open.length + maxHiddenLength)), true))
      yield { ...finding, start, end };
    start = closeAt < 0 ? -1 : prose.indexOf(open, closeAt + close.length);
  }
}

/** Title of a link definition, also of one that is used as a comment: `[//]: # (text)`, `[docs]: https://… "text"`. */
const definition = /^ {0,3}\[[^\]\n]{1,60}\]:[ \t]{0,4}[^\s"'(]{1,500}[ \t]{1,4}["'(]([^\n]{1,2000})/gm;

const tag = /<([a-z]{1,12})\s[^<>]{1,600}>/gi;
/** Styles that hide an element, without white space. */
const zero = "0(?:px|pt|em|rem|%)?[;\"'!]";
const whitish = String.raw`white|transparent|#f{3,4}\b|#(?:f[\da-f]){3,4}\b|rgba?\((?:25[0-5],){2}25[0-5]|rgba\([\d,]{5,12},0?\.?0*\)`;
const hiding = new RegExp(
  [
    String.raw`display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|opacity:(?:0?\.0|0(?![.\d]*[1-9]))`,
    String.raw`font-size:(?:0*(?:\.\d+)?(?:px|pt|%)?|[12](?:\.\d+)?(?:px|pt|%)|0*(?:\.[0-2]\d*)?(?:em|rem|ex|vw))(?=[;"'!])`,
    String.raw`(?:left|right|top|bottom|text-indent|margin(?:-\w{3,6})?|translate[xy]?\():?-(?:\d{3,5}|\d{2,4}(?:em|rem|vw|vh))`,
    String.raw`clip(?:-path)?:(?:inset\((?:100|50)%|rect\([01](?:px)?[,0-9a-z]{0,24}\)|circle\(0)|scale[xy]?\(0(?![.\d]*[1-9])`,
    `(?<![-\\w])color:(?:${whitish})`,
    `(?:max-|line-)?(?:height|width):${zero}`,
    `<fontsize=["']?[01]["'>]|<fontcolor=["']?(?:white|#fff)`,
    // The same colour twice.
    String.raw`(?<![-\w])color:(?<front>[^;"']{3,30});(?:[^"']{0,200};)?background(?:-color)?:\k<front>[;"']`,
    String.raw`background(?:-color)?:(?<back>[^;"']{3,30});(?:[^"']{0,200};)?color:\k<back>[;"']`,
  ].join("|"),
);
const hiddenAttribute = /\s(?:hidden(?=[\s>=])|aria-hidden\s{0,3}=\s{0,3}["']?true|type\s{0,3}=\s{0,3}["']?hidden)/i;
function* detectHiddenElements(prose: string): Generator<Match> {
  let [count, readUpTo] = [0, 0];
  for (const { index, 0: opening, 1: name = "" } of prose.matchAll(tag)) {
    if (index < readUpTo) continue;
    if (count >= maxHiddenCount) return;
    const start = index + opening.length;
    if (opening.endsWith("/>") || /^(?:img|input|source|meta|link)$/i.test(name)) continue;
    // The attributes of a component, such as `<Table hidden>`, are its own.
    const isComponent = /^[A-Z].*[a-z]/.test(name);
    const isHidden =
      (!isComponent && hiddenAttribute.test(opening)) || hiding.test(opening.toLowerCase().replace(/\s/g, ""));
    if (!isHidden) continue;
    count++;
    const near = prose.slice(start, start + maxHiddenLength);
    const close = near.toLowerCase().indexOf(`</${name.toLowerCase()}`);
    const content = close < 0 ? near : near.slice(0, close);
    readUpTo = start + content.length;
    if (isForModels(content, false)) yield { ...finding, start: index, end: readUpTo };
  }
}

/** Finds instructions in comments and in elements that browsers do not show. Ignores code. */
export const detectHiddenHtml: Detector = function* ({ prose }) {
  for (const [open, close] of Object.entries(comments)) yield* detectComments(prose, open, close);
  for (const { index: start, 0: line, 1: title = "" } of prose.matchAll(definition))
    if (isForModels(title, true)) yield { ...finding, start, end: start + line.length };
  yield* detectHiddenElements(prose);
};
