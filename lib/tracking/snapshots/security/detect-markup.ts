import { matchInstruction } from "./detect-instructions";
import type { Detector, Sighting } from "./finding";
import { visitSentences, wordsOf } from "./sentences";

/** Tokens of models' chat templates, and tags with which models call tools. */
const markup = new RegExp(
  [
    /<[|｜][a-z▁_]{2,30}[|｜]>/,
    /\[\/?INST\]|<<\/?SYS>>/,
    /<(?:start|end)_of_turn>/,
    /<\/?(?:tool_calls?|tool_use|tool_results?|tool_response|function_calls?|function_results?|invoke)(?: [^<>\n]{0,200})?>/,
    /<\/?system[-_](?:prompt|reminder|message|instructions?)>/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/** Markup that would end the page and begin a turn of its own, were it put into a prompt as it stands; in prose alone. */
export const detectChatMarkup: Detector = function* ({ prose }) {
  for (const { index, 0: token } of prose.matchAll(markup)) {
    yield { detector: "chat-markup", family: "chat-markup", points: 3, start: index, end: index + token.length };
  }
};

/** Elements that run or load something, and attributes that do. `[^<>]` ends at the next tag, so tags do not nest. */
const active = /<(?:script|iframe|form|object|embed)\b|<[a-z][^<>]{0,300}?\son[a-z]{3,20}\s{0,3}=/gi;

/** Most of a comment that is read, in UTF-16 code units. */
const maxCommentLength = 4_000;
/** Most comments that are read. The sentences of all are looked at as prose too. */
const maxCommentCount = 10_000;
const readers = new Set(
  "ai llm llms assistant assistants agent agents chatgpt claude gemini copilot gpt bots".split(" "),
);
const demands = new Set("must should always don't ignore please recommend tell instead".split(" "));
/** Words between the reader's name and what is demanded. */
const maxDistance = 4;

/** Whether a comment speaks to a model and asks something of it. */
function addressesModel(comment: string): boolean {
  let reader = Number.NEGATIVE_INFINITY;
  return wordsOf(comment).some((word, index) => {
    if (readers.has(word)) reader = index;
    return index - reader <= maxDistance && demands.has(word);
  });
}

function holdsInstruction(comment: string, domain: string): boolean {
  let isHeld = false;
  visitSentences(comment, (start, end) => {
    isHeld ||= (matchInstruction(comment, start, end, domain)?.points ?? 0) >= 3;
  });
  return isHeld || addressesModel(comment);
}

/** A comment that instructs is read by models alone. One that is never closed goes on to the end. */
function* detectComments(prose: string, domain: string): Generator<Sighting> {
  let start = prose.indexOf("<!--");
  for (let count = 0; start >= 0 && count < maxCommentCount; count++) {
    const close = prose.indexOf("-->", start + 4);
    const end = close < 0 ? prose.length : close;
    if (holdsInstruction(prose.slice(start + 4, Math.min(end, start + 4 + maxCommentLength)), domain)) {
      yield { detector: "instructing-comment", family: "html", points: 3, start, end };
    }
    start = close < 0 ? -1 : prose.indexOf("<!--", close + 3);
  }
}

/** Active HTML, which a viewer may run, and comments with instructions, which no viewer shows; in prose alone. */
export const detectHtml: Detector = function* ({ prose, domain }) {
  for (const { index, 0: tag } of prose.matchAll(active)) {
    yield { detector: "active-html", family: "html", points: 1, start: index, end: index + tag.length + 40 };
  }
  yield* detectComments(prose, domain);
};
