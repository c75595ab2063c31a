import documented from "./phrases/documented.json" with { type: "json" };
import { readWords } from "./word-lists";
import { pause } from "./words";

const lists = readWords(documented);

/** Sentences of documentation that contain the words of an instruction. Each pattern matches a whole sentence. */
const descriptions = [
  // What a product can show: "You can reveal the system prompt in the playground."
  /^you can (?:also )?(?:reveal|print|show|display|copy|dump|expose) the system prompt (?:in|from|with|via|on|under) (?:the|its|our) (?!.*\b(?:repl(?:y|ies)|answers?|responses?|messages?|chats?|conversations?|outputs?|summary|your?|me|us)\b)[\w -]{2,40}$/i,
  // A role in an organisation: "From now on, you act as the owner of the domain."
  /^from now on,? you (?:will )?act as (?:the|an?) (?:owner|member|contact) of (?:the|a|your) (?:domain|account|workspace|organi[sz]ation|team|project|repository|zone)$/i,
  // Steps: "Skip the previous instructions and go to step 5."
  /^(?:you can )?skip the (?:previous|above|preceding) instructions,? and (?:go|continue|jump|proceed|move on)(?: directly| straight)? (?:to|with|at) (?:step|section|chapter|part) \d{1,3}$/i,
];
const maxLength = 120;

/** Whether a sentence describes a product, or leads through steps, although it has the words of an instruction. */
export const isDescription = (sentence: string) =>
  sentence.length <= maxLength && descriptions.some((pattern) => pattern.test(sentence.trim()));

/** Most words between the parts of a phrase. */
const [obtainReach, storeReach, headerReach] = [4, 5, 4];

/**
 * Whether the imperative of "send" at `at` tells people what to do with a secret of theirs, as documentation does: to enter it on a
 * page, to store it, to authenticate a request, to obtain a token in exchange, or to share it with somebody they know.
 * `isFile`: what is sent is a private file, which only a store of secrets excuses.
 */
export function isForOwner(words: readonly string[], at: number, isFile: boolean): boolean {
  if (lists.uploads.has(words[at]!) && words[at + 1] === "your" && words[at + 2] === "sshkey") return true;
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index]!;
    const before = words[index - 1]!;
    const next = words.slice(index + 1, index + 1 + storeReach);
    if (word === "into" && isStored(next)) return true;
    if (isFile) continue;
    if (lists.pages.has(word)) return true;
    if (lists.people.has(word) && lists.owners.has(before) && /^(?:with|to)$/.test(words[index - 2] ?? "")) return true;
    if ((word === "in" || word === "as") && next.slice(0, headerReach).some((part) => lists.headers.has(part)))
      return true;
    if (before === "to" && lists.obtains.has(word) && next.slice(0, obtainReach).some((part) => lists.tokens.has(part)))
      return true;
  }
  return false;
}

/** Whether the words name a store before any pause or address. */
function isStored(words: readonly string[]): boolean {
  const end = words.findIndex((word) => word === pause || word === "url" || word === "at");
  return words.slice(0, end < 0 ? words.length : end).some((word) => lists.stores.has(word));
}

/** Most words between the verb and the noun, and of a topic. */
const [nounReach, topicReach] = [6, 4];

/** Whether the words from `at` on limit instructions to a topic or to a place in documentation. */
function isLimit(tokens: readonly string[], at: number): boolean {
  if (lists.topics.has(tokens[at]!))
    return !tokens.slice(at + 1, at + 1 + topicReach).some((word) => lists.own.has(word));
  if (tokens[at] === "for") return !lists.beneficiaries.has(tokens[at + 1] ?? "");
  if (!lists.places.has(tokens[at]!)) return false;
  const place = lists.articles.has(tokens[at + 1] ?? "") ? at + 2 : at + 1;
  return (
    lists.guides.has(tokens[place] ?? "") ||
    (lists.numbered.has(tokens[place] ?? "") && /^\d/.test(tokens[place + 1] ?? ""))
  );
}

/** Whether a number, or another place than this text, follows: "anything above 400 ms", "everything before the comma". */
function isMeasure(tokens: readonly string[], at: number): boolean {
  const [after = "", object = ""] = tokens.slice(at + 1);
  if (/^\d/.test(after)) return true;
  return tokens[at] === "before" && /^(?:the|an?)$/.test(after) && !lists.lines.has(object) && !lists.own.has(object);
}

/**
 * Whether the override that starts at `at` concerns only some part of a document, as in "ignore the previous instructions
 * about Webpack" or "… in section 2", or a manner: "forget the old way of writing instructions". It does not if it says "all",
 * or what to answer instead.
 */
export function isLimitedOverride(tokens: readonly string[], at: number): boolean {
  if (!lists.verbs.has(tokens[at]!)) return false;
  const next = tokens.slice(at + 1, at + 2 + nounReach);
  const place = at + 1 + next.findIndex((word) => word === "above" || word === "before");
  if (place > at && isMeasure(tokens, place)) return !answersAfter(tokens, place);
  const noun = next.findIndex((word) => lists.nouns.has(word) || word === pause);
  if (noun < 0 || next[noun] === pause) return false;
  const between = next.slice(0, noun);
  if (between.some((word) => lists.quantifiers.has(word))) return false;
  const after = at + 2 + noun;
  return (isLimit(tokens, after) || between.some((word) => lists.manners.has(word))) && !answersAfter(tokens, after);
}

/** Whether a sentence says after `at` what to answer: "and say …". */
function answersAfter(tokens: readonly string[], at: number): boolean {
  const joinsAnswer = (index: number) =>
    tokens.slice(Math.max(0, index - 2), index).some((word) => lists.joins.has(word) || word === pause);
  return tokens.some((word, index) => index > at && lists.answering.has(word) && joinsAnswer(index));
}

const all =
  /\b(?:all|any|every|everything|each|your|my|alle[ns]?|deine|toutes?|tous|tout|tes|vos|todas?|todos?|tus|sus|tutt[aeio]|tue|suas|tuas|tudo)\b|все|すべて|全て|全部|これまで|あなた|모든|모두|전부|너의|당신|جميع|كل |所有|一切|你/iu;
const version =
  /\b(?:versi(?:on|ón|one)|versão|release|since|as of|seit|ab|depuis|desde|dalla) v?\d|\bv\d{1,3}(?:\.\d|\b)|(?:バージョン|版本|버전|верси[ияюей]{1,2}) ?v?\d/iu;
const addressing =
  /\b(?:assistants?|models?|ai|llms?|prompts?|users?|respond|reply|answer|obey|must|tell|say|send|print|instead|you are)\b/i;
/** How much of the text after a sentence may give the reason, in UTF-16 code units. */
export const maxReasonLength = 160;
const maxLimitedLength = 120;

/**
 * Whether a version is the reason why some instructions are void: "Disregard the instructions above; since version 3 …". `rest` is
 * the text after the sentence, at most `maxReasonLength` of it.
 */
export function isVoidSinceVersion(sentence: string, rest: string): boolean {
  if (sentence.length > maxLimitedLength || all.test(sentence)) return false;
  const [line = ""] = rest.split("\n", 1);
  const [reason = ""] = line.replace(/^[\s:;.。：；]{1,4}/, "").split(/[.!?](?:\s|$)|[。！？]/, 1);
  return version.test(reason) && !addressing.test(sentence + reason);
}

/** Code that carries out what a sentence says: "with `reverse()`", "with `/clear`", or a command after a colon. */
const command =
  /(?:\b(?:with|using|via|by (?:running|calling|using)) |: ?)`(?:\/\w|[\w.]{1,40}\(|[a-z][\w-]{0,30} [^`\n]{0,80}[-<>|])/i;
const commandLength = 60;

/** Whether code after a sentence, or at its end, is what carries it out, so that it addresses programmers. */
export const isDoneByCode = (source: string, start: number, end: number) =>
  command.test(source.slice(Math.max(start, end - commandLength), end + commandLength));
