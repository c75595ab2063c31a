import { isStopword, ownCopy } from "../terms";

/** Length of the prefixes by which tokens are grouped. */
const groupLength = 2;
const ignored = -1;
const letters = [..."abcdefghijklmnopqrstuvwxyz"];

/**
 * Calls `visit` for each text that differs from a word by one deleted, inserted, replaced or swapped letter: about 54 for each
 * letter, a bound that does not depend on the number of words in an index.
 */
function forEachEdit(word: string, visit: (edited: string) => void): void {
  for (let at = 0; at <= word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    const rest = tail.slice(1);
    for (const letter of letters) {
      visit(head + letter + tail);
      if (tail !== "") visit(head + letter + rest);
    }
    if (tail !== "") visit(head + rest);
    if (rest !== "") visit(head + rest[0] + tail[0] + rest.slice(1));
  }
}

/** The words of an index, as they are written, with the numbers of their terms. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #groups = new Map<string, string[]>();
  readonly #names = new Map<string, Set<string>>();

  /** Returns the number of a word's term, -1 for a stopword. A new word gets the number that `numberOf` returns. */
  numberOf(word: string, numberOf: (token: string) => number): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const token = ownCopy(word);
    const number = isStopword(token) ? ignored : numberOf(token);
    this.#numbers.set(token, number);
    if (number !== ignored) this.#group(token).push(token);
    return number;
  }

  /** Returns the numbers of the words that begin with a prefix of at least two characters. */
  withPrefix(prefix: string): number[] {
    const group = this.#groups.get(prefix.slice(0, groupLength)) ?? [];
    return group.filter((token) => token.startsWith(prefix)).map((token) => this.#numbers.get(token) as number);
  }

  /** Marks a known word as part of a name. */
  addName(word: string): void {
    if (isStopword(word)) return;
    const key = word.slice(0, groupLength);
    this.#names.set(key, (this.#names.get(key) ?? new Set()).add(ownCopy(word)));
  }

  /** Returns the numbers of the longer words in names that begin with a prefix of at least two characters. */
  namesWithPrefix(prefix: string): number[] {
    const names = [...(this.#names.get(prefix.slice(0, groupLength)) ?? [])];
    const longer = names.filter((name) => name.length > prefix.length && name.startsWith(prefix));
    return longer.map((name) => this.#numbers.get(name) as number);
  }

  /** Returns the numbers of the words in names that share the first two letters of a word and begin with one edit of it. */
  namesOneEditFrom(word: string): number[] {
    const names = [...(this.#names.get(word.slice(0, groupLength)) ?? [])];
    const edits = new Set<string>();
    if (names.length > 0) forEachEdit(word, (edited) => edits.add(edited));
    const like = names.filter((name) => [-1, 0, 1].some((more) => edits.has(name.slice(0, word.length + more))));
    return like.map((name) => this.#numbers.get(name) as number);
  }

  /** Returns the numbers of the words that are one edit from a word. */
  oneEditFrom(word: string): number[] {
    const numbers: number[] = [];
    forEachEdit(word, (edited) => {
      const number = this.#numbers.get(edited);
      if (number !== undefined && number !== ignored) numbers.push(number);
    });
    return numbers;
  }

  /** Copies the words whose terms have a new number. */
  copyTo(copy: Vocabulary, newNumberOf: (number: number) => number | undefined): void {
    for (const [token, number] of this.#numbers) {
      const renumbered = newNumberOf(number);
      if (renumbered === undefined) continue;
      copy.numberOf(token, () => renumbered);
      if (this.#names.get(token.slice(0, groupLength))?.has(token)) copy.addName(token);
    }
  }

  #group(token: string): string[] {
    const key = token.slice(0, groupLength);
    const group = this.#groups.get(key) ?? [];
    this.#groups.set(key, group);
    return group;
  }
}
