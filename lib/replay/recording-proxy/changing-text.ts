import * as z from "zod";
import type { JsonDifference } from "#lib/platform/json-difference";
import { compareWords } from "#lib/platform/text-difference";

/** Most parts of texts in which two requests may differ. */
const maxPartCount = 3;
/** Most words of a part, with the white space between them. */
const maxPartLength = 15;
/** Words beside a part, with the white space between them, that are looked at. */
const besideLength = 6;

/** The parts of texts in which two requests differ, and expressions of `volatile_text` that match them. */
export const changingTextSchema = z.strictObject({
  parts: z.array(z.strictObject({ before: z.string(), after: z.string() })),
  expressions: z.array(z.string()),
});
export type ChangingText = z.infer<typeof changingTextSchema>;

const hasDigit = (text: string) => /\d/.test(text);
const endsSentence = (word = "") => /[.!?;:)]$|\n/.test(word);
/** What stands for a text that is not compared. */
const isReplaced = (word: string) => /[<>]/.test(word);

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const spaceExpression = (space: string) => (space === " " ? " " : "\\s+");
const literal = (words: readonly string[]) =>
  words.map((word) => (word.trim() === "" ? spaceExpression(word) : escaped(word))).join("");

/** Returns an expression for two words: one for each run of letters and digits, if what is between these is equal. */
function wordExpression(before: string, after: string): string {
  if (before.trim() === "") return spaceExpression(before === after ? before : "");
  const [one, other] = [before, after].map((word) => word.split(/([\p{L}\d]+)/u)) as [string[], string[]];
  const isSameShape = one.length === other.length && one.every((run, index) => index % 2 === 1 || run === other[index]);
  if (!isSameShape) return "\\S+";
  return one
    .map((run, index) => {
      const both = `${run}${other[index]}`;
      if (index % 2 === 0) return escaped(run);
      return /^\d+$/.test(both) ? "\\d+" : /^\p{L}+$/u.test(both) ? "\\p{L}+" : "[\\p{L}\\d]+";
    })
    .join("");
}

/** Returns how many of the words after a part are of the same value: "27" in "27 November 2026" has two, up to a number. */
function countOfValue(last: string | undefined, following: readonly string[]): number {
  const end = [last, ...following].findIndex(endsSentence);
  const sentence = end < 0 ? following : following.slice(0, end);
  const other = sentence.findIndex(isReplaced);
  return (other < 0 ? sentence : sentence.slice(0, other)).findLastIndex(hasDigit) + 1;
}

/**
 * Returns the few words in which requests differ; null if they differ in more. There are expressions only if each part is
 * of a longer text and has digits, as dates and numbers do: other words may be what a request is about.
 */
export function findChangingText(differences: readonly JsonDifference[]): ChangingText | null {
  const parts: ChangingText["parts"] = [];
  const expressions = new Set<string>();
  let areAllExpressed = true;
  if (differences.length > maxPartCount) return null;
  for (const { pointer, before, after } of differences) {
    if (pointer === "" || typeof before !== "string" || typeof after !== "string") return null;
    const { one, other, hunks } = compareWords(before, after, maxPartCount);
    for (const { a, aEnd, b, bEnd } of hunks) {
      if (parts.length === maxPartCount || Math.max(aEnd - a, bEnd - b) > maxPartLength) return null;
      const count = countOfValue(one[aEnd - 1], one.slice(aEnd, aEnd + besideLength));
      const [was, is] = [one.slice(a, aEnd + count), other.slice(b, bEnd + count)];
      const part = { before: was.join(""), after: is.join("") };
      parts.push(part);
      const words = was.map((word, index) => wordExpression(word, is[index] ?? "")).join("");
      const lead = one.slice(Math.max(0, a - besideLength), a);
      const known = lead.slice(lead.findLastIndex(isReplaced) + 1);
      if (was.length !== is.length || !hasDigit(part.before) || !hasDigit(part.after)) areAllExpressed = false;
      else if (known.some((word) => word.trim() !== "")) expressions.add(`${literal(known)}${words}`);
      else if (lead.length === 0 && aEnd + count < one.length) expressions.add(`^${words}`);
      else areAllExpressed = false;
    }
  }
  return parts.length === 0 ? null : { parts, expressions: areAllExpressed ? [...expressions] : [] };
}

/** Returns how to declare that texts change in each run, as lines; none without an expression. */
export function adviseVolatile(expressions: readonly string[]): string[] {
  if (expressions.length === 0) return [];
  return [`If this changes in each run, add to tapedeck.config.json: "volatile_text": ${JSON.stringify(expressions)}`];
}
