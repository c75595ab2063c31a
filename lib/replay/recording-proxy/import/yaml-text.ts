import { foldLines, joinBlock, trimSpaces, unescapeQuoted } from "./yaml-scalars";

/** A YAML document cannot be read; the message names the line. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** Where a plain scalar ends: at the colon of a key, a comment, or the end of its line. */
export const plainEnd = /:(?=[ \t\n]|$)|(?<=[ \t])#|\n/g;
/** Characters that end a line in YAML 1.1, and not in 1.2. */
const ambiguousBreak = /[\x85\u2028\u2029]/;

/** A position in the text of a document, and what can be read there without knowing its structure. */
export class YamlText {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    const { index } = ambiguousBreak.exec(this.#text) ?? {};
    if (index !== undefined) this.fail("has a line separator, which versions of YAML read differently", index);
  }

  isAtEndOfText(): boolean {
    return this.at >= this.#text.length;
  }

  fail(reason: string, at = this.at): never {
    throw new YamlError(`line ${this.#text.slice(0, at).split("\n").length}: ${reason}`);
  }

  /** Takes what matches here; the expression is sticky. */
  match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.#text);
    if (found) this.at += found[0].length;
    return found;
  }

  sees(expression: RegExp): boolean {
    expression.lastIndex = this.at;
    return expression.test(this.#text);
  }

  /** Skips spaces, comments and line breaks. */
  skip(): void {
    while (this.match(/[ \t]*\n|[ \t]+/y) || (this.#isAfterSpace() && this.match(/#.*/y)));
  }

  #isAfterSpace(): boolean {
    return this.at === 0 || /[ \t\n]/.test(this.#text[this.at - 1] as string);
  }

  get column(): number {
    return this.at - (this.#text.lastIndexOf("\n", this.at - 1) + 1);
  }

  /** Whether the document has ended here. */
  isAtEnd(): boolean {
    return this.at >= this.#text.length || (this.column === 0 && this.sees(/(?:---|\.\.\.)(?=[ \t\n]|$)/y));
  }

  line(): number {
    return this.#text.lastIndexOf("\n", this.at - 1);
  }

  /** Whether a mapping begins here. */
  isKey(): boolean {
    if (this.sees(/\?(?=[ \t\n])/y)) return true;
    if (!this.sees(/["']/y))
      return !this.sees(/[[\]{},|>&*!%@`#]|:(?=[ \t\n]|$)/y) && this.#text[this.#findEnd(plainEnd)] === ":";
    const end = this.#findQuote();
    const colon = /[ \t]*:(?=[ \t\n]|$)/y;
    colon.lastIndex = end + 1;
    return end > 0 && colon.test(this.#text) && !this.#text.slice(this.at, end).includes("\n");
  }

  /** Returns where this matches next, or the end of the text. */
  #findEnd(expression: RegExp): number {
    expression.lastIndex = this.at;
    return expression.exec(this.#text)?.index ?? this.#text.length;
  }

  /** Returns where the quote that is open here closes; -1 if it does not. */
  #findQuote(): number {
    const quote = this.#text[this.at] as string;
    for (let from = this.at + 1; ; ) {
      const end = this.#text.indexOf(quote, from);
      if (end < 0) return -1;
      if (quote === "'" && this.#text[end + 1] === quote) from = end + 2;
      else if (quote === '"' && this.#hasBackslash(end)) from = end + 1;
      else return end;
    }
  }

  #hasBackslash(at: number): boolean {
    let count = 0;
    while (this.#text[at - 1 - count] === "\\") count += 1;
    return count % 2 === 1;
  }

  quoted(): string {
    const [at, end] = [this.at, this.#findQuote()];
    if (end < 0) this.fail("a quote is not closed");
    const content = this.#text.slice(at + 1, end);
    this.at = end + 1;
    if (this.#text[at] === "'") return foldLines(content).replaceAll("''", "'");
    const text = unescapeQuoted(content);
    if (text === null) this.fail("has an escape that is not valid", at);
    return text;
  }

  /** Takes the text up to where this matches. */
  take(expression: RegExp): string {
    const from = this.at;
    this.at = this.#findEnd(expression);
    return this.#text.slice(from, this.at);
  }

  plain(parent: number): string {
    let text = this.take(plainEnd);
    for (;;) {
      if (this.sees(/:/y)) this.fail("a value has a colon that is not quoted");
      const before = this.at;
      const [breaks] = this.match(/\n[ \t\n]*/y) ?? [];
      if (breaks === undefined || this.isAtEnd() || this.column <= parent || this.sees(/#/y)) {
        this.at = before;
        return foldLines(trimSpaces(text));
      }
      text += breaks + this.take(plainEnd);
    }
  }

  /** Reads a scalar after `|` or `>`. */
  blockScalar(parent: number): string {
    const header = this.match(/([|>])(?:([1-9])([-+]?)|([-+]?)([1-9]?))[ \t]*(?:(?<=[ \t\n])#.*)?(?:\n|$)/y);
    if (!header) this.fail("the start of the block is not valid");
    const [, style = "", first, chompingAfter, chompingBefore, second] = header;
    const given = Number(first ?? second ?? "") || 0;
    const firstLine = /(?: *\n)*( *)[^ \n]/y;
    firstLine.lastIndex = this.at;
    const detected = firstLine.exec(this.#text)?.[1]?.length ?? -1;
    // Without any text, the block has empty lines only.
    const found = detected > parent ? detected : Number.POSITIVE_INFINITY;
    const indent = given > 0 ? Math.max(0, parent) + given : found;
    const lines: string[] = [];
    while (this.at < this.#text.length) {
      const end = this.#text.indexOf("\n", this.at);
      const line = this.#text.slice(this.at, end < 0 ? undefined : end);
      const spaces = /^ */.exec(line)?.[0].length ?? 0;
      if (spaces < indent && spaces < line.length) break;
      lines.push(line.slice(indent));
      this.at += line.length + (end < 0 ? 0 : 1);
    }
    return joinBlock(style, chompingAfter ?? chompingBefore ?? "", lines);
  }
}
