import { type Detector, isOnDomain, type Match, registrableDomain } from "./finding";

/** A markdown or HTML link that runs code or embeds its target. Images in `data:` URLs are harmless and excluded. */
const scriptLink =
  /(?:\]\(|\]:|<|\b(?:href|src|action)=)\s{0,3}["'<]?\s{0,3}(?:(?:javascript|vbscript):(?=\S)|data:(?!image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,])[a-z]{2,20}\/)/gi;

const linkHost = /https?:\/\/([^\s/?#<>"'`()[\]{}\\|]{1,253})/gi;
const latin = /[a-z]/i;
const greekCyrillicOrArmenian = /[\u0370-\u058f]/;
/** Cyrillic and Greek letters that look like Latin ones: a label made only of these looks like a Latin word. */
const onlyLookalikes = /^[аеорсхуіјѕԁһԛԝοαρντυικ0-9-]{2,63}$/iu;

function isLookalike(host: string): boolean {
  return host.split(".").some((label) => {
    if (/^xn--/i.test(label)) return true;
    return greekCyrillicOrArmenian.test(label) && (latin.test(label) || onlyLookalikes.test(label));
  });
}

/** Fewest links, and smallest share of them to other domains, that are reported. */
const minLinkCount = 10;
const offDomainShare = 0.5;

function* detectHosts(text: string, domain: string): Generator<Match> {
  const own = registrableDomain(domain);
  let [linkCount, offDomainCount, firstOff] = [0, 0, 0];
  for (const { index, 0: link, 1: authority = "" } of text.matchAll(linkHost)) {
    const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d{0,5}$/, "");
    linkCount++;
    if (isOnDomain(host, own)) continue;
    if (offDomainCount++ === 0) firstOff = index;
    if (!/xn--|[\u0080-\uffff]/i.test(host) || !isLookalike(host)) continue;
    yield { detector: "lookalike-host", family: "links", points: 2, start: index, end: index + link.length };
  }
  if (linkCount < minLinkCount || offDomainCount / linkCount <= offDomainShare) return;
  yield { detector: "links-off-domain", family: "links", points: 0, start: firstOff, end: firstOff + 80 };
}

/** Finds links that run code or hide their target, lookalike hosts, and files that mostly link to other domains. */
export const detectLinks: Detector = function* ({ text, prose, domain }) {
  for (const { index, 0: link } of prose.matchAll(scriptLink)) {
    yield { detector: "script-link", family: "links", points: 3, start: index, end: index + link.length + 40 };
  }
  yield* detectHosts(text, domain);
};

/** URLs with a query string: the target of a markdown link, and the source of an HTML image. */
const markdownTarget = /\]\(\s{0,3}<?(https?:\/\/[^\s()[\]<>?]{1,500}\?[^\s)>]{1,1000})/gi;
const htmlImage = /<img\b[^<>]{0,300}?\bsrc\s{0,3}=\s{0,3}["']?(https?:\/\/[^\s"'<>?]{1,500}\?[^\s"'<>]{1,1000})/gi;
/** Longest text between `![` and its target. */
const maxLabelLength = 300;

/** A placeholder: `{question}`, `${data}`, `[SECRET]`, `%7B`, `INSERT_HERE`, `YOUR_DATA`. */
const template = /[{}]|\$\(|%7b|\[[a-z_ ]|<[a-z_]|\b(?:INSERT|YOUR|REPLACE)_|=(?:DATA|SECRET|PASSWORD|CONVERSATION)\b/i;

/** An image in the query of a badge, whose base64 is no placeholder. */
const embeddedImage = /\bdata(?::|%3a)image(?:\/|%2f)[^&]{0,2000}/gi;

/** Whether the bracket that closes at `close` was opened by `![`. */
function closesImage(prose: string, close: number): boolean {
  const line = prose.slice(Math.max(0, close - maxLabelLength), close);
  const open = line.lastIndexOf("![");
  return open >= 0 && !line.includes("](", open);
}

/** Finds images whose URL carries data, which displaying the image sends to its host. Ignores code. */
export const detectImages: Detector = function* ({ prose }) {
  for (const pattern of [markdownTarget, htmlImage]) {
    for (const { index, 0: image, 1: address = "" } of prose.matchAll(pattern)) {
      if (pattern === markdownTarget && !closesImage(prose, index)) continue;
      const isTemplated = template.test(address.slice(address.indexOf("?")).replace(embeddedImage, ""));
      const detector = isTemplated ? "image-template" : "image-query";
      yield { detector, family: "images", points: isTemplated ? 3 : 1, start: index, end: index + image.length };
    }
  }
};

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

/** Names of tags that address models: `<AgentInstructions>`, `<important_for_ai>`. */
const tag = /<([a-z][a-z_-]{1,40})(?=>|\s[^<>]{0,200}>)/gi;
const readers = /agents?|assistants?|llms?|(?:^|[_-])ai(?:[_-]|$)|(?:^|[_-])AI|AI(?:[_-]|$)/i;
const matters =
  /instruction|directive|rule|notice|note|prompt|important|message|system|only|guidance|guide|hint|context|task|policy|command|request|memo|tip|^(?:for|to|dear)[_-]/i;

const roles = /^(?:assistants?|agents?|llms?|ai)$/i;
/** The role whose name is also that of components, which begin with a capital: `<System>`. */
const systemRole = "system";

const quotes = new Set("\"'“”‘’«»");
/** Whether a token is quoted, as in documentation: `"[INST]"`. */
const isQuoted = (text: string, start: number, end: number) => quotes.has(text[start - 1]!) && quotes.has(text[end]!);

const endToken = /^<[|｜](?:end|endoftext|eos|pad)[|｜]>$/i;
/** Whether a sentence names an end token: "Support <|end|> token". Other tokens can start a turn. */
function isNamedEnd(text: string, start: number, end: number): boolean {
  if (!endToken.test(text.slice(start, end))) return false;
  return /^[ "'”’]{1,2}tokens?\b/i.test(text.slice(end, end + 12)) || /\btokens? $/i.test(text.slice(start - 8, start));
}

/** Both tokens of a pair with a conjunction or a mark between them, as in documentation: `[INST] and [/INST]`. */
const namedPair =
  /\[INST\]["'”]?(?:, ?|、| ?(?:and|or|und|oder|et|ou|y|e|o|и|или|和|或|と|및|و|[/,|&+]|\.{3}|…) ?)["'“]?\[\/INST\]/i;
const maxPairLength = 24;

/** A line that explains tokens: words about them, and more than two words before one. */
const explains = /token|jeton|template/i;
const leadingWords = /^(?:\W*\p{L}+){3}/u;
const maxLineReach = 400;

/** Whether a token of a pair is within a line that explains it: "the tokenizer adds [INST] before each message". */
function isExplained(text: string, start: number): boolean {
  const reached = text.slice(Math.max(0, start - maxLineReach), start);
  const before = reached.slice(reached.lastIndexOf("\n") + 1);
  return explains.test(before) && leadingWords.test(before);
}

/** Finds markup that, put unchanged into a prompt, would end the document and start a new turn. Ignores code. */
export const detectChatMarkup: Detector = function* ({ prose }) {
  for (const { index, 0: token } of prose.matchAll(markup)) {
    const end = index + token.length;
    if (isQuoted(prose, index, end) || isNamedEnd(prose, index, end)) continue;
    if (token.endsWith("INST]") && isExplained(prose, index)) continue;
    if (token.endsWith("INST]") && namedPair.test(prose.slice(Math.max(0, end - maxPairLength), index + maxPairLength)))
      continue;
    // Documentation escapes the tokens that it shows: `\<|SYSTEM|>`.
    const points = prose[index - 1] === "\\" ? 1 : 3;
    yield { detector: "chat-markup", family: "chat-markup", points, start: index, end };
  }
  for (const { index, 0: opening, 1: name = "" } of prose.matchAll(tag)) {
    if (name !== systemRole && !roles.test(name) && !(readers.test(name) && matters.test(name))) continue;
    yield { detector: "agent-markup", family: "chat-markup", points: 1, start: index, end: index + opening.length };
  }
};

/** Elements and attributes that run or load something. `[^<>]` ends at the next tag, so matches do not nest. */
const active = /<(?:script|iframe|form|object|embed)\b|<[a-z][^<>]{0,300}?\son[a-z]{3,20}\s{0,3}=/gi;

/** Code that reads what a browser stores, and code that sends. */
const reads = /document\.cookie|localStorage|sessionStorage/;
const sends = /fetch\(|XMLHttpRequest|sendBeacon|new Image|location\s{0,3}=|\.src\s{0,3}=/;
/** How much of an active element is read, in UTF-16 code units. */
const maxScriptLength = 400;

/** Finds active HTML, which a viewer may run. Ignores code. */
export const detectHtml: Detector = function* ({ prose }) {
  for (const { index, 0: tag } of prose.matchAll(active)) {
    const script = prose.slice(index, index + maxScriptLength);
    const points = reads.test(script) && sends.test(script) ? 3 : 1;
    yield { detector: "active-html", family: "html", points, start: index, end: index + tag.length + 40 };
  }
};
