/** Something that is due at a time; `place` is the queue's own note of where it stands, -1 when it does not. */
export type Due = { dueAtMs: number; place: number };

/** A binary heap of what is due next: add, remove and re-time in O(log n), for any number of streams. */
export class DueQueue<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Puts an item back in order after its `dueAtMs` changed. */
  update(item: T): void {
    this.#sink(item, this.#rise(item, item.place));
  }

  remove(item: T): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop() as T;
    if (last !== item) this.#sink(last, this.#rise(last, place));
  }

  #rise(item: T, from: number): number {
    const items = this.#items;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above] as T;
      if (parent.dueAtMs <= item.dueAtMs) break;
      items[place] = parent;
      parent.place = place;
      place = above;
    }
    items[place] = item;
    item.place = place;
    return place;
  }

  #sink(item: T, from: number): void {
    const items = this.#items;
    const count = items.length;
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= count) break;
      if (below + 1 < count && (items[below + 1] as T).dueAtMs < (items[below] as T).dueAtMs) below += 1;
      const child = items[below] as T;
      if (child.dueAtMs >= item.dueAtMs) break;
      items[place] = child;
      child.place = place;
      place = below;
    }
    items[place] = item;
    item.place = place;
  }
}
