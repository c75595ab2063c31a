/** Stretches of a text, as ranges of UTF-16 code units. Equal ones have equal hashes, if these began with one seed. */
export type Spans = { text: string; starts: Int32Array; ends: Int32Array; hashes: Int32Array; count: number };

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

function areEqual(a: Spans, spanOfA: number, b: Spans, spanOfB: number): boolean {
  const startA = a.starts[spanOfA]!;
  const startB = b.starts[spanOfB]!;
  const length = a.ends[spanOfA]! - startA;
  if (length !== b.ends[spanOfB]! - startB) return false;
  for (let offset = 0; offset < length; offset++) {
    if (a.text.charCodeAt(startA + offset) !== b.text.charCodeAt(startB + offset)) return false;
  }
  return true;
}

/**
 * Numbers spans, equal ones alike, from 0 on. A hash table over code units, since a `Map` of a million short strings
 * takes longer than a whole comparison may.
 */
export class SpanTable {
  /** Numbers that have been given. */
  idCount = 0;
  /** Numbers plus one, at most every other slot taken; zero is an empty slot. */
  #slots = new Int32Array(2 * firstCapacity);
  /** For each number the hash, and the first span with it. */
  #hashes = new Int32Array(firstCapacity);
  #spans = new Int32Array(firstCapacity);
  /** Lists that spans were taken from, each with the first number that one of its spans got. */
  readonly #lists: { spans: Spans; firstId: number }[] = [];

  /** Numbers all spans of a list. */
  add(spans: Spans): Int32Array {
    this.#lists.push({ spans, firstId: this.idCount });
    return this.#number(spans, true);
  }

  /** The numbers that the spans of a list have, -1 for those without. */
  find(spans: Spans): Int32Array {
    return this.#number(spans, false);
  }

  /** The text of the span that first got a number. */
  textOf(id: number): string {
    const { text, starts, ends } = this.#listOf(id);
    const span = this.#spans[id]!;
    return text.slice(starts[span], ends[span]);
  }

  #listOf(id: number): Spans {
    let list = this.#lists.length - 1;
    while (this.#lists[list]!.firstId > id) list--;
    return this.#lists[list]!.spans;
  }

  #number(spans: Spans, isAdding: boolean): Int32Array {
    const ids = new Int32Array(spans.count);
    for (let span = 0; span < spans.count; span++) {
      const slot = this.#findSlot(spans, span);
      if (this.#slots[slot] === 0 && isAdding) ids[span] = this.#take(slot, spans.hashes[span]!, span);
      else ids[span] = this.#slots[slot]! - 1;
    }
    return ids;
  }

  /** The slot of a span's number, or the empty slot where that belongs. */
  #findSlot(spans: Spans, span: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = spans.hashes[span]!;
    let slot = hash & mask;
    for (let held = slots[slot]!; held !== 0; held = slots[slot]!) {
      const isSame = this.#hashes[held - 1] === hash;
      if (isSame && areEqual(this.#listOf(held - 1), this.#spans[held - 1]!, spans, span)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #take(slot: number, hash: number, span: number): number {
    const id = this.idCount++;
    this.#hashes[id] = hash;
    this.#spans[id] = span;
    this.#slots[slot] = id + 1;
    if (this.idCount === this.#hashes.length) this.#grow();
    return id;
  }

  #grow(): void {
    this.#hashes = enlarge(this.#hashes);
    this.#spans = enlarge(this.#spans);
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.idCount; id++) {
      let slot = this.#hashes[id]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}
