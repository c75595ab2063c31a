import { matchInstruction } from "./detect-instructions";
import type { Detector, Match } from "./finding";
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

/** Finds markup that, put unchanged into a prompt, would end the document and start a new turn. Ignores code. */
export const detectChatMarkup: Detector = function* ({ prose }) {
  for (const { index, 0: token } of prose.matchAll(markup)) {
    yield { detector: "chat-markup", family: "chat-markup", points: 3, start: index, end: index + token.length };
  }
};

/** Elements and attributes that run or load something. `[^<>]` ends at the next tag, so matches do not nest. */
const active = /<(?:script|iframe|form|object|embed)\b|<[a-z][^<>]{0,300}?\son[a-z]{3,20}\s{0,3}=/gi;

/** Length up to which a comment is read, in UTF-16 code units. */
const maxCommentLength = 4_000;
/** Most comments that are read. The sentences of all of them are examined as prose too. */
const maxCommentCount = 10_000;
const readers = new Set(
  "ai llm llms assistant assistants agent agents chatgpt claude gemini copilot gpt bots".split(" "),
);
const demands = new Set("must should always don't ignore please recommend tell instead".split(" "));
/** Most words between the reader's name and the demand. */
const maxDistance = 4;

/** Whether a comment addresses a model and demands something. */
function addressesModel(comment: string): boolean {
  let reader = Number.NEGATIVE_INFINITY;
  return wordsOf(comment).some((word, index) => {
    if (readers.has(word)) reader = index;
    return index - reader <= maxDistance && demands.has(word);
  });
}

/** Fewest points of an instruction that make a comment a finding. */
const minInstructionPoints = 3;

function hasInstruction(comment: string, domain: string): boolean {
  let isFound = false;
  visitSentences(comment, (start, end) => {
    isFound ||= (matchInstruction(comment, start, end, domain)?.points ?? 0) >= minInstructionPoints;
  });
  return isFound || addressesModel(comment);
}

/** Finds comments with instructions, which only models read. An unclosed comment extends to the end of the text. */
function* detectComments(prose: string, domain: string): Generator<Match> {
  let start = prose.indexOf("<!--");
  for (let count = 0; start >= 0 && count < maxCommentCount; count++) {
    const close = prose.indexOf("-->", start + 4);
    const end = close < 0 ? prose.length : close;
    if (hasInstruction(prose.slice(start + 4, Math.min(end, start + 4 + maxCommentLength)), domain)) {
      yield { detector: "instructing-comment", family: "html", points: 3, start, end };
    }
    start = close < 0 ? -1 : prose.indexOf("<!--", close + 3);
  }
}

/** Finds active HTML, which a viewer may run, and comments with instructions, which no viewer shows. Ignores code. */
export const detectHtml: Detector = function* ({ prose, domain }) {
  for (const { index, 0: tag } of prose.matchAll(active)) {
    yield { detector: "active-html", family: "html", points: 1, start: index, end: index + tag.length + 40 };
  }
  yield* detectComments(prose, domain);
};
