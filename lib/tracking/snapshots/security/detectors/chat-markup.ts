import type { Detector } from "../scanned-text";

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
