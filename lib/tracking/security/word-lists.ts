import classes from "./phrases/classes.json" with { type: "json" };

/** Words, several in each line, separated by spaces, and why they are listed, if nothing else says it. */
type WordList = { why?: string; words: readonly string[] };

const split = ({ words }: WordList) => words.flatMap((line) => line.split(" "));

const sets = new Map(Object.entries<WordList>(classes).map(([name, list]) => [name, new Set(split(list))]));

function expand(parts: readonly string[]): ReadonlySet<string> {
  const words = parts.flatMap((part) => {
    const named = sets.get(part);
    if (!named && /[A-Z]/.test(part)) throw new Error(`There is no word class ${part}`);
    return [...(named ?? [part])];
  });
  return new Set(words);
}

/** Returns the words that `NAME` or `one|NAME|two` denotes; `.` stands for the end of a sentence or a pause in it. */
export const wordClass = (notation: string) => expand(notation.split("|"));

/** Returns the words of each list. A name in capitals stands for the words of that class. */
export function readWords<Name extends string>(lists: Record<Name, WordList>): Record<Name, ReadonlySet<string>> {
  const read = Object.entries<WordList>(lists).map(([name, list]) => [name, expand(split(list))]);
  return Object.fromEntries(read) as Record<Name, ReadonlySet<string>>;
}
