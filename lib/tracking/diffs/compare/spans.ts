/** Stretches of a text, as ranges of UTF-16 code units. Equal ones have equal hashes, if these began with one seed. */
type Spans = { text: string; starts: Int32Array; ends: Int32Array; hashes: Int32Array; count: number };

const firstCapacity = 1_024;

function enlarge(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/**
 * Takes one more code unit into a hash. Not linear, and to begin with a random seed, so that nobody can write a text
 * whose parts all collide.
 */
export function mix(hash: number, unit: number): number {
  const mixed = Math.imul(hash ^ unit, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** Spans that are added one after the other. */
export class SpanList implements Spans {
  starts = new Int32Array(firstCapacity);
  ends = new Int32Array(firstCapacity);
  hashes = new Int32Array(firstCapacity);
  count = 0;

  constructor(readonly text: string) {}

  add(start: number, end: number, hash: number): void {
    if (this.count === this.starts.length) {
      this.starts = enlarge(this.starts);
      this.ends = enlarge(this.ends);
      this.hashes = enlarge(this.hashes);
    }
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.hashes[this.count++] = hash;
  }
}

/**
 * Numbers spans, equal ones alike, from 0 on. A hash table over code units, since a `Map` of a million short strings
 * takes longer than a whole comparison may.
 */
export class SpanTable {
  /** Numbers that have been given. */
  idCount = 0;
  /**
   * For each slot a number plus one, or zero where it is empty, and the hash beside it, since memory is slow; at most
   * every other slot is taken.
   */
  #slots = new Int32Array(2 * 2 * firstCapacity);
  /** For each number the start and the end of the first span with it. */
  #firsts = new Int32Array(2 * firstCapacity);
  /** Texts that spans were taken from, each with the first number that one of its spans got. */
  readonly #lists: { text: string; firstId: number }[] = [];

  /** Numbers all spans of a list. */
  add(spans: Spans): Int32Array {
    this.#lists.push({ text: spans.text, firstId: this.idCount });
    return this.#number(spans, true);
  }

  /** The numbers that the spans of a list have, -1 for those without. */
  find(spans: Spans): Int32Array {
    return this.#number(spans, false);
  }

  /** The text of the span that first got a number. */
  textOf(id: number): string {
    return this.#textWith(id).slice(this.#firsts[2 * id], this.#firsts[2 * id + 1]);
  }

  #textWith(id: number): string {
    let list = this.#lists.length - 1;
    while (this.#lists[list]!.firstId > id) list--;
    return this.#lists[list]!.text;
  }

  #number(spans: Spans, isAdding: boolean): Int32Array {
    const ids = new Int32Array(spans.count);
    for (let span = 0; span < spans.count; span++) {
      const slot = this.#findSlot(spans, span);
      if (this.#slots[slot] === 0 && isAdding) ids[span] = this.#take(slot, spans, span);
      else ids[span] = this.#slots[slot]! - 1;
    }
    return ids;
  }

  /** The place of a span's number among the slots, or of the empty slot where that belongs. */
  #findSlot(spans: Spans, span: number): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    const hash = spans.hashes[span]!;
    let slot = (hash << 1) & mask;
    for (let held = slots[slot]!; held !== 0; held = slots[slot]!) {
      if (slots[slot + 1] === hash && this.#isFirst(held - 1, spans, span)) break;
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  /** Whether a span is equal to the first one with a number. */
  #isFirst(id: number, { text, starts, ends }: Spans, span: number): boolean {
    const firstStart = this.#firsts[2 * id]!;
    const start = starts[span]!;
    const length = ends[span]! - start;
    if (this.#firsts[2 * id + 1]! - firstStart !== length) return false;
    const firstText = this.#textWith(id);
    for (let offset = 0; offset < length; offset++) {
      if (firstText.charCodeAt(firstStart + offset) !== text.charCodeAt(start + offset)) return false;
    }
    return true;
  }

  #take(slot: number, { starts, ends, hashes }: Spans, span: number): number {
    const id = this.idCount++;
    this.#firsts[2 * id] = starts[span]!;
    this.#firsts[2 * id + 1] = ends[span]!;
    this.#slots[slot] = id + 1;
    this.#slots[slot + 1] = hashes[span]!;
    if (2 * this.idCount === this.#firsts.length) this.#grow();
    return id;
  }

  #grow(): void {
    this.#firsts = enlarge(this.#firsts);
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2);
    const mask = slots.length - 2;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from] === 0) continue;
      let slot = (old[from + 1]! << 1) & mask;
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = old[from]!;
      slots[slot + 1] = old[from + 1]!;
    }
    this.#slots = slots;
  }
}

/** Lines of one side of a comparison, each with its line feed. */
export type Lines = Spans;

/** Equal lines have equal numbers; a line of `after` that `before` lacks has `absentId`. */
export type LineIds = { before: Int32Array; after: Int32Array; idCount: number };

export const absentId = -1;

const lineFeed = 10;

/** Splits a range of a text, which starts where a line starts, into its lines. */
export function splitLines(text: string, start: number, end: number, seed: number): Lines {
  const lines = new SpanList(text);
  let hash = seed;
  let lineStart = start;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    hash = mix(hash, unit);
    if (unit !== lineFeed && index + 1 < end) continue;
    lines.add(lineStart, index + 1, hash);
    lineStart = index + 1;
    hash = seed;
  }
  return lines;
}

/** Numbers the lines of both sides, which were split with the same seed. */
export function numberLines(before: Lines, after: Lines): LineIds {
  const table = new SpanTable();
  return { before: table.add(before), after: table.find(after), idCount: table.idCount };
}
