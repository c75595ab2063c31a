/** Ranges of a text in UTF-16 code units. Spans with equal text have equal hashes if hashed with the same seed. */
type Spans = { text: string; starts: Int32Array; ends: Int32Array; hashes: Int32Array; count: number };

const firstCapacity = 1_024;

function doubleCapacity(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/**
 * Adds a code unit to a hash. The hash is not linear and starts with a random seed, so that no text can be written whose
 * parts all collide.
 */
export function mix(hash: number, unit: number): number {
  const mixed = Math.imul(hash ^ unit, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** A growing list of spans. */
export class SpanList implements Spans {
  starts = new Int32Array(firstCapacity);
  ends = new Int32Array(firstCapacity);
  hashes = new Int32Array(firstCapacity);
  count = 0;

  constructor(readonly text: string) {}

  add(start: number, end: number, hash: number): void {
    if (this.count === this.starts.length) {
      this.starts = doubleCapacity(this.starts);
      this.ends = doubleCapacity(this.ends);
      this.hashes = doubleCapacity(this.hashes);
    }
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.hashes[this.count++] = hash;
  }
}

/**
 * Assigns numbers from 0 on to spans; spans with equal text get the same number. A hash table over code units, because a
 * `Map` of a million short strings is slower than a whole comparison may be.
 */
export class SpanTable {
  /** Number of ids assigned so far. */
  idCount = 0;
  /**
   * For each slot an id plus one, or zero if it is empty, next to its hash for locality of access. At most half of the
   * slots are used.
   */
  #slots = new Int32Array(2 * 2 * firstCapacity);
  /** For each id the start and the end of the first span that has it. */
  #firsts = new Int32Array(2 * firstCapacity);
  /** Texts of the added spans, each with the first id that was assigned for it. */
  readonly #lists: { text: string; firstId: number }[] = [];

  /** Returns the id of each span of a list, assigning new ids. */
  add(spans: Spans): Int32Array {
    this.#lists.push({ text: spans.text, firstId: this.idCount });
    return this.#number(spans, true);
  }

  /** Returns the id of each span of a list, -1 for unknown spans. */
  find(spans: Spans): Int32Array {
    return this.#number(spans, false);
  }

  /** Returns the text of the spans with an id. */
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
      if (this.#slots[slot] === 0 && isAdding) ids[span] = this.#assign(slot, spans, span);
      else ids[span] = this.#slots[slot]! - 1;
    }
    return ids;
  }

  /** Returns the slot of a span's id, or the empty slot where it would be. */
  #findSlot(spans: Spans, span: number): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    const hash = spans.hashes[span]!;
    let slot = (hash << 1) & mask;
    for (let held = slots[slot]!; held !== 0; held = slots[slot]!) {
      if (slots[slot + 1] === hash && this.#hasTextOf(held - 1, spans, span)) break;
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  /** Whether a span has the same text as the first span with an id. */
  #hasTextOf(id: number, { text, starts, ends }: Spans, span: number): boolean {
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

  #assign(slot: number, { starts, ends, hashes }: Spans, span: number): number {
    const id = this.idCount++;
    this.#firsts[2 * id] = starts[span]!;
    this.#firsts[2 * id + 1] = ends[span]!;
    this.#slots[slot] = id + 1;
    this.#slots[slot + 1] = hashes[span]!;
    if (2 * this.idCount === this.#firsts.length) this.#grow();
    return id;
  }

  #grow(): void {
    this.#firsts = doubleCapacity(this.#firsts);
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

/** Lines of one side of a comparison, including their line feeds. */
export type Lines = Spans;

/** Ids of the lines: equal lines have equal ids, and lines of `after` that `before` lacks have `absentId`. */
export type LineIds = { before: Int32Array; after: Int32Array; idCount: number };

export const absentId = -1;

const lineFeed = 10;

/** Splits a range of a text into lines. The range must start at a line start. */
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

/** Assigns ids to the lines of both sides, which must have been split with the same seed. */
export function numberLines(before: Lines, after: Lines): LineIds {
  const table = new SpanTable();
  return { before: table.add(before), after: table.find(after), idCount: table.idCount };
}
