/** A range of raw bytes; `end` is exclusive. */
export type ByteRange = { start: number; end: number };

/** Characters and their raw bytes: one byte per character (a run), or one range for all characters (an escape). */
type Segment = { at: number; length: number; rawStart: number; rawLength: number };

/**
 * A text joined from pieces of raw bytes that keeps the origin of each character, so that a secret found in joined and
 * unescaped text can be masked in the raw bytes.
 */
export class MappedText {
  readonly #parts: string[] = [];
  readonly #segments: Segment[] = [];
  #length = 0;

  /** Appends characters with one byte each, starting at `rawStart`. */
  addRun(text: string, rawStart: number): void {
    if (text !== "") this.#add(text, rawStart, text.length);
  }

  /** Appends the characters of an escape of `rawLength` bytes; 0 for characters without raw bytes. */
  addEscape(text: string, rawStart: number, rawLength: number): void {
    this.#add(text, rawStart, rawLength);
  }

  /** Appends another text and its origins. */
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

  /** Returns the raw bytes of the characters from `start` to `end`, in order, with adjacent ranges joined. */
  rangesOf(start: number, end: number): ByteRange[] {
    const ranges: ByteRange[] = [];
    for (let index = this.#firstSegmentAt(start); index < this.#segments.length; index += 1) {
      const segment = this.#segments[index];
      if (!segment || segment.at >= end) break;
      const range = clip(segment, start, end);
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

function clip({ at, length, rawStart, rawLength }: Segment, start: number, end: number): ByteRange {
  if (length !== rawLength) return { start: rawStart, end: rawStart + rawLength };
  const from = Math.max(0, start - at);
  return { start: rawStart + from, end: rawStart + Math.min(length, end - at) };
}

const escapePattern = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const shortEscapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Decodes JSON escapes anywhere in a text. `rawStart` is the raw position of its first character. */
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

/** Decodes the escapes of JSON inside JSON strings; origins still refer to the raw bytes. */
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
