import { isAscii, isUtf8 } from "node:buffer";

/** Characters of windows-1252 from 0x80 to 0x9f. The five unassigned bytes map to themselves, as in browsers. */
const windows1252Characters = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * Decodes windows-1252, and Latin-1 as browsers do. Needed because Node 20's TextDecoder decodes 0x80 to 0x9f as control
 * characters.
 */
function decodeWindows1252(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return text.replace(/[\u0080-\u009f]/g, (byte) => windows1252Characters[byte.charCodeAt(0) - 0x80] ?? byte);
}

/** Byte-order marks and their encodings. */
const byteOrderMarks = [
  { bytes: [0xef, 0xbb, 0xbf], label: "utf-8" },
  { bytes: [0xfe, 0xff], label: "utf-16be" },
  { bytes: [0xff, 0xfe], label: "utf-16le" },
] as const;

/** Decodes strictly and keeps a byte-order mark. Undefined if the label is unknown or the bytes are not valid in it. */
function decodeAs(label: string, body: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return decoder.encoding === "windows-1252" ? decodeWindows1252(body) : decoder.decode(body);
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8 with some invalid bytes, which become U+FFFD. Undefined if they outnumber the valid non-ASCII ones. */
function decodeMostlyUtf8(body: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const brokenCount = text.split("\ufffd").length - 1;
  const otherCount = text.replace(/[\p{ASCII}\ufffd]+/gu, "").length;
  return brokenCount < otherCount ? text : undefined;
}

/** Returns the `charset` parameter of a content type. */
function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(contentType ?? "")?.[1];
}

/**
 * Returns the text if the bytes are UTF-8 and contain multi-byte sequences. Text in another charset almost never has only
 * valid ones, so this outweighs a declaration. UTF-16 is recognised by its NULs and is not read as UTF-8.
 */
function decodeEvidentUtf8(body: Uint8Array): string | undefined {
  return isAscii(body) || body.includes(0) ? undefined : decodeAs("utf-8", body);
}

/**
 * Decodes a body by its byte-order mark, otherwise as UTF-8 if it has valid multi-byte sequences, otherwise by the declared
 * charset, otherwise as windows-1252. A mark or charset that does not fit the bytes is ignored. A UTF-8 byte-order mark stays
 * in the text, a UTF-16 one does not.
 */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  const mark = byteOrderMarks.find(({ bytes }) => bytes.every((byte, index) => body[index] === byte));
  const marked = mark && decodeAs(mark.label, body);
  if (marked !== undefined) return mark?.label === "utf-8" ? marked : marked.slice(1);
  const evident = decodeEvidentUtf8(body);
  if (evident !== undefined) return evident;
  const charset = charsetOf(contentType);
  const declared = charset === undefined ? undefined : decodeAs(charset, body);
  return declared ?? decodeAs("utf-8", body) ?? decodeMostlyUtf8(body) ?? decodeWindows1252(body);
}

/** Types that a text file may have; servers that do not know the file type send the last two, or no type at all. */
const textTypes = /^(?:text\/.+|application\/(?:x-)?markdown|(?:application|binary)\/octet-stream)$/;

/** Types of JSON, with which some servers send markdown. */
const jsonTypes = /^application\/(?:[\w.-]{1,100}\+)?json$/;

const yamlTypes = /^application\/(?:[\w.-]{1,100}\+|x-)?yaml$/;

const typeOf = (contentType: string | undefined) => (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** Whether a content type may belong to a text file. */
export function isTextType(contentType: string | undefined): boolean {
  const type = typeOf(contentType);
  return type === "" || textTypes.test(type);
}

/** Whether a content type is that of JSON or YAML. */
export function isDataType(contentType: string | undefined): boolean {
  return isJsonType(contentType) || yamlTypes.test(typeOf(contentType));
}

/** Whether a content type is that of JSON. */
function isJsonType(contentType: string | undefined): boolean {
  return jsonTypes.test(typeOf(contentType));
}

/** Signatures of binary formats whose first bytes may look like text, in Latin-1. */
const signatures = [
  "%PDF-",
  "PK\x03\x04",
  "\x89PNG",
  "GIF8",
  "\xff\xd8\xff",
  "\x1f\x8b",
  "RIFF",
  "\x7fELF",
  "7z\xbc\xaf",
];

/** Share of control characters above which content is binary. */
const maxControlShare = 0.001;

/** Returns false for tab, line feed, vertical tab, form feed, carriage return and escape, which occur in text. */
function isControl(code: number): boolean {
  return code === 0x7f || (code < 0x20 && !(code >= 0x09 && code <= 0x0d) && code !== 0x1b);
}

/** Whether a body, or the text decoded from it, is binary, regardless of its content type. */
export function isBinary(body: Uint8Array, text: string): boolean {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(8, body.byteLength)).toString("latin1");
  if (signatures.some((signature) => start.startsWith(signature)) || text.includes("\0")) return true;
  const length = Math.min(text.length, sampleLength);
  let controlCount = 0;
  for (let index = 0; index < length; index += 1) if (isControl(text.charCodeAt(index))) controlCount += 1;
  return controlCount > Math.max(1, length * maxControlShare);
}

/** Length of the beginning of a text that is searched for the tags of a document, in characters. */
const startLength = 2_000;
/** Length of the sample that is searched for tags or control characters. */
const sampleLength = 100_000;
/** Largest share of tags among the non-white-space characters of a text file. Real llms.txt files reach 5 %. */
const maxTagShare = 0.2;
const minTagCount = 10;

/** Tags that only a complete document has. */
const documentTags = /<!doctype\s{1,10}html|<html[\s>]/i;
/** Tags that other HTML pages start with, such as pages that only run a script. */
const headTags = /^<(?:head|body|script|meta|title|link|style|noscript|frameset)[\s>]/i;
const tags =
  /<\/?(?:a|article|aside|b|br|button|code|div|em|footer|form|h[1-6]|header|hr|i|img|input|label|li|link|main|meta|nav|ol|option|p|path|pre|script|section|select|small|span|strong|style|svg|table|tbody|td|th|thead|title|tr|ul)(?:\s[^<>]{0,1000})?\/?>/gi;
/** A heading, a list of links or a link: the text is markdown even if it contains tags. */
const markdown = /^#{1,6} |^[ \t]{0,40}[-*+] +\[|\]\((?:https?:|\/)/m;

/** The beginning of JSON, also of JSON lines or of JSON that is cut off. */
const jsonStart = /^[\s\ufeff]{0,100}(?:\{|"|\[\s{0,100}(?:[{"[\]\d-]|true|false|null))/;

/**
 * Whether a body with a JSON type is markdown nevertheless: UTF-8 without a control character, with a heading or a link, that
 * does not start like JSON. `text` is the decoded body.
 */
export function isMislabelledMarkdown(body: Uint8Array, text: string, contentType: string | undefined): boolean {
  if (!isJsonType(contentType) || !isUtf8(body)) return false;
  if (jsonStart.test(text) || !markdown.test(text.slice(0, sampleLength))) return false;
  for (let index = 0; index < text.length; index += 1) if (isControl(text.charCodeAt(index))) return false;
  return true;
}

/** Removes fenced and inline code, where markdown quotes HTML. */
function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark === undefined) lines.push(line.replace(/`[^`]{0,1000}`/g, ""));
    else if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
  }
  return lines.join("\n");
}

/** Removes a leading byte-order mark, XML declaration and comments. */
function skipProlog(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith("<!--") ? "-->" : rest.startsWith("<?") ? "?>" : undefined;
    const at = end === undefined ? -1 : rest.indexOf(end);
    if (end === undefined || at < 0) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}

function isMostlyTags(sample: string): boolean {
  const found = sample.match(tags) ?? [];
  const tagLength = found.reduce((sum, tag) => sum + tag.length, 0);
  const wholeLength = sample.replace(/\s+/g, "").length;
  return found.length >= minTagCount && tagLength > wholeLength * maxTagShare;
}

/**
 * Whether a text is an HTML page, judged by its content only: half of the responses to `/llms.txt` are one, often with
 * status 200 and a plain-text type. Markdown that quotes or contains some HTML is not a page.
 */
export function isHtml(text: string): boolean {
  const content = skipProlog(text);
  const start = withoutCode(content.slice(0, startLength));
  const tagAt = start.search(documentTags);
  if (tagAt >= 0 && !markdown.test(start.slice(0, tagAt))) return true;
  const sample = withoutCode(content.slice(0, sampleLength));
  if (markdown.test(sample)) return false;
  return headTags.test(sample) || isMostlyTags(sample);
}
