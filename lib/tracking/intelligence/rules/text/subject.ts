import { maxReadLineLength, nameOf, plainOf, shownOf, splitSentences } from "./plain-text";
import type { ReadLine } from "./read-lines";

const leadingName = /^\s{0,8}(?:[-*+]|\d{1,3}\.) (?:\*\*|`|__){0,3}([^:`*]{2,60}?)(?:\*\*|`|__){0,3}:/;
const emphasized = /^\s{0,8}(?:(?:[-*+]|\d{1,3}\.) )?(?:\*\*|__)([^*_]{2,60})(?:\*\*|__)/;
/** The words before a verb at the beginning of a sentence: `The pay-as-you-go ceiling is $160`. */
const clause =
  /^((?:the |an? |our )?(?:[\p{L}\p{N}'’-]+ ){0,5}?[\p{L}\p{N}'’-]+?) (?:(?:now|currently) )?(is|are|costs?|pays?|lasts?|expires?|takes?|stays?|has|have|was|were|will|can|rises?|starts?|allows?|supports?|includes?|covers?|contains?|offers?|gets?)\b/iu;
const pronoun = /^(?:you|we|it|they|this|that|there|these|those|he|she|i|which|what|if|when|here)\b/i;

/** Words that another verb precedes: `Sandboxes run code and`. */
const unfinished = /\b(?:and|or|but|that|which|who|to|also)$/i;

/** Returns the first cell of a table row; empty for other lines. */
export function firstCellOf(text: string): string {
  const line = text.slice(0, maxReadLineLength).trimStart();
  return line.startsWith("|") ? nameOf(line.split("|")[1] ?? "") : "";
}

/** Returns the last name of a heading path. */
export const lastNameOf = (path: string) => nameOf(path.split(" > ").at(-1) ?? "");

/** Returns the page or entry that a line is about; empty if it does not name one. */
export function entryOf({ text, links }: ReadLine): string {
  const [link] = links;
  if (link?.title && plainOf(text).indexOf(link.title) < 12) return link.title;
  const line = text.slice(0, maxReadLineLength);
  const name = leadingName.exec(line)?.[1] ?? emphasized.exec(line)?.[1] ?? "";
  return firstCellOf(line) || nameOf(name).replace(/[.:;,]+$/, "");
}

/** A name with a colon after it: `Starter (free): 5 webhooks`. */
const labelled =
  /^(?!(?:Note|NOTE|Tip|Info|Warning|Caution|Important|Example)\b)(\p{Lu}[\p{L}\p{N}'’ -]{1,40}?)(?: \([^()]{1,40}\))?: /u;

/** Words before the subject: `From 1 March, `. */
const leadIn = /^(?:from|since|as of|starting|on|until|in|for) [^,]{1,40}, /i;

/** Returns the subject of the sentence of a line that has a value, and its verb; both are empty if it is a pronoun or longer. */
export function clauseOf({ text }: ReadLine, value = ""): { words: string; verb: string } {
  const sentence = splitSentences(shownOf(text)).find((each) => each.includes(value)) ?? "";
  const [, label = ""] = labelled.exec(sentence) ?? [];
  if (label !== "" && !pronoun.test(label)) return { words: nameOf(label), verb: "has" };
  const [, words = "", verb = ""] = clause.exec(sentence.replace(leadIn, "").slice(0, 200)) ?? [];
  if (words === "" || pronoun.test(words) || unfinished.test(words)) return { words: "", verb: "" };
  return { words: nameOf(words), verb };
}

/** Returns what a line says about a value: its entry, the subject of the value's sentence, or the section. */
export function subjectOf(line: ReadLine, value = ""): string {
  return entryOf(line) || clauseOf(line, value).words || lastNameOf(line.path);
}
