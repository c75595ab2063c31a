/** A stretch of raw bytes, `end` not included. */
export type ByteRange = { start: number; end: number };

/** Characters that stand for raw bytes: one for one (a run), or all of them for one whole stretch (an escape). */
type Segment = { at: number; length: number; rawStart: number; rawLength: number };

/**
 * A text put together from pieces of a larger one, which remembers where each of its characters came from.
 * So a secret that is found in joined, unescaped text can be covered in the bytes that carried it.
 */
export class MappedText {
  readonly #parts: string[] = [];
  readonly #segments: Segment[] = [];
  #length = 0;

  /** Characters that stand one for one for the bytes from `rawStart`. */
  addRun(text: string, rawStart: number): void {
    if (text !== "") this.#add(text, rawStart, text.length);
  }

  /** Characters that an escape of `rawLength` bytes stands for; with 0, characters that no byte stands for. */
  addEscape(text: string, rawStart: number, rawLength: number): void {
    this.#add(text, rawStart, rawLength);
  }

  /** Appends another text with its origins. */
  addMapped(other: MappedText): void {
    for (const [index, part] of other.#parts.entries()) {
      const segment = other.#segments[index];
      if (segment) this.#add(part, segment.rawStart, segment.rawLength);
    }
  }

  #add(text: string, rawStart: number, rawLength: number): void {
    this.#parts.push(text);
    this.#segments.push({ at: this.#length, length: text.length, rawStart, rawLength });
    this.#length += text.length;
  }

  get text(): string {
    return this.#parts.join("");
  }

  /** The raw bytes behind the characters from `start` to `end`, in order, neighbours joined. */
  rangesOf(start: number, end: number): ByteRange[] {
    const ranges: ByteRange[] = [];
    for (let index = this.#firstSegmentAt(start); index < this.#segments.length; index += 1) {
      const segment = this.#segments[index];
      if (!segment || segment.at >= end) break;
      const range = cut(segment, start, end);
      const last = ranges.at(-1);
      if (last && last.end === range.start) last.end = range.end;
      else if (range.end > range.start) ranges.push(range);
    }
    return ranges;
  }

  #firstSegmentAt(position: number): number {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const segment = this.#segments[middle];
      if (segment && segment.at + segment.length <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function cut({ at, length, rawStart, rawLength }: Segment, start: number, end: number): ByteRange {
  if (length !== rawLength) return { start: rawStart, end: rawStart + rawLength };
  const from = Math.max(0, start - at);
  return { start: rawStart + from, end: rawStart + Math.min(length, end - at) };
}

const escapePattern = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const shortEscapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Undoes JSON's escapes, wherever they stand. `rawStart` is the place of the text's first character. */
export function unescapeJson(text: string, rawStart: number): MappedText {
  const mapped = new MappedText();
  let from = 0;
  for (const match of text.matchAll(escapePattern)) {
    mapped.addRun(text.slice(from, match.index), rawStart + from);
    const [whole, code, letter = ""] = match;
    const character =
      code === undefined ? (shortEscapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
    mapped.addEscape(character, rawStart + match.index, whole.length);
    from = match.index + whole.length;
  }
  mapped.addRun(text.slice(from), rawStart + from);
  return mapped;
}

/** Undoes the escapes of JSON that itself arrived as JSON strings; origins stay those of the bytes. */
export function unescapeAgain(outer: MappedText): MappedText {
  const inner = unescapeJson(outer.text, 0);
  return new NestedText(inner, outer);
}

class NestedText extends MappedText {
  readonly #inner: MappedText;
  readonly #outer: MappedText;

  constructor(inner: MappedText, outer: MappedText) {
    super();
    this.#inner = inner;
    this.#outer = outer;
  }

  override get text(): string {
    return this.#inner.text;
  }

  override rangesOf(start: number, end: number): ByteRange[] {
    return this.#inner.rangesOf(start, end).flatMap((range) => this.#outer.rangesOf(range.start, range.end));
  }
}
