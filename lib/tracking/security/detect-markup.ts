import { findPattern, type Match } from "./finding";
import type { Detector } from "./scanned-text";
import { lineAround } from "./sentences";

/** A markdown or HTML link that runs code or embeds its target. Images in `data:` URLs are harmless and excluded. */
const scriptLink =
  /(?:\]\(|\]:|<|\b(?:href|src|action)=)\s{0,3}["'<]?\s{0,3}(?:(?:javascript|vbscript):(?=\S)|data:(?!image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,])[a-z]{2,20}\/)/gi;

const image =
  /(?:!\[(?:[^[\]\n]|\[[^[\]\n]{0,100}\]){0,300}\]\(\s{0,3}<?|<img\b[^<>]{0,300}?\bsrc\s{0,3}=\s{0,3}["']?)https?:\/\/[^\s()[\]<>?"']{1,500}(\?[^\s)>"']{1,1000})/gi;

/** A placeholder: `{question}`, `${data}`, `[SECRET]`, `%7B`, `INSERT_HERE`, `YOUR_DATA`. */
const template = /[{}]|\$\(|%7b|\[[a-z_ ]|<[a-z_]|\b(?:INSERT|YOUR|REPLACE)_|=(?:DATA|SECRET|PASSWORD|CONVERSATION)\b/i;

/** An image in the query of a badge, whose base64 is no placeholder. */
const embeddedImage = /\bdata(?::|%3a)image(?:\/|%2f)[^&]{0,2000}/gi;

/** Tokens of models' chat templates, and tags with which models call tools. */
const markup =
  /<[|｜][a-z▁_]{2,30}[|｜]>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|<\/?(?:tool_calls?|tool_use|tool_results?|tool_response|function_calls?|function_results?|invoke)(?: [^<>\n]{0,200})?>|<\/?system[-_](?:prompt|reminder|message|instructions?)>/gi;

/** Tags that address models: `<AgentInstructions>`, `<important_for_ai>`, `<assistant>`; components begin with a capital: `<System>`. */
const tag = /<([a-z][a-z_-]{1,40})(?=>|\s[^<>]{0,200}>)/gi;
const readers = /agents?|assistants?|llms?|(?:^|[_-])ai(?:[_-]|$)|(?:^|[_-])AI|AI(?:[_-]|$)/i;
const matters =
  /instruction|directive|rule|notice|note|prompt|important|message|system|only|guidance|guide|hint|context|task|policy|command|request|memo|tip|^(?:for|to|dear)[_-]/i;
const roles = /^(?:system|[aA]ssistants?|[aA]gents?|llms?|LLMs?|ai|AI)$/;

/** A token in quotation marks, and words on a line that explains tokens: "the tokenizer adds [INST] before each message". */
const quotes = new Set("\"'“”‘’«»");
const explains = /token|jeton|template|balise|\[INST\]\W{0,3}\p{L}{0,3}\W{0,3}\[\/INST\]/iu;
const maxLineReach = 200;

/** Finds markup that, put unchanged into a prompt, would end the document and start a new turn. */
function* detectChatMarkup(prose: string): Generator<Match> {
  for (const { index: start, 0: token } of prose.matchAll(markup)) {
    const end = start + token.length;
    const { before, after } = lineAround(prose, start, end, maxLineReach);
    if (quotes.has(before.at(-1) ?? "") && quotes.has(after[0] ?? "")) continue;
    if (explains.test(before + token + after)) continue;
    // Documentation escapes the tokens that it shows: `\<|SYSTEM|>`.
    yield { detector: "chat-markup", points: before.endsWith("\\") ? 1 : 3, start, end };
  }
  for (const { index: start, 0: opening, 1: name = "" } of prose.matchAll(tag))
    if (roles.test(name) || (readers.test(name) && matters.test(name)))
      yield { detector: "agent-markup", points: 1, start, end: start + opening.length };
}

const active = /<(?:script|iframe|form|object|embed)\b|<[a-z][^<>]{0,300}?\son[a-z]{3,20}\s{0,3}=/gi;

export const detectMarkup: Detector = function* ({ prose }) {
  yield* findPattern(prose, scriptLink, "script-link", 3, 40);
  for (const { index: start, 0: found, 1: query = "" } of prose.matchAll(image)) {
    const isTemplated = template.test(query.replace(embeddedImage, ""));
    const detector = isTemplated ? "image-template" : "image-query";
    yield { detector, points: isTemplated ? 3 : 1, start, end: start + found.length };
  }
  yield* detectChatMarkup(prose);
  yield* findPattern(prose, active, "active-html", 1, 40);
};
