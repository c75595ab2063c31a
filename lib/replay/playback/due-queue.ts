/** An item that is due at some time. The queue keeps `heapIndex`; it is -1 while the item is not queued. */
export type QueueItem = { dueAtMs: number; heapIndex: number };

/** A binary min-heap by due time: add, remove and reschedule in O(log n), for any number of streams. */
export class DueQueue<T extends QueueItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#items.push(item);
    this.#siftUp(item, this.#items.length - 1);
  }

  /** Restores the order after an item's `dueAtMs` changed. */
  update(item: T): void {
    this.#siftDown(item, this.#siftUp(item, item.heapIndex));
  }

  remove(item: T): void {
    const { heapIndex } = item;
    if (heapIndex < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop() as T;
    if (last !== item) this.#siftDown(last, this.#siftUp(last, heapIndex));
  }

  #siftUp(item: T, from: number): number {
    const items = this.#items;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex] as T;
      if (parent.dueAtMs <= item.dueAtMs) break;
      items[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    items[index] = item;
    item.heapIndex = index;
    return index;
  }

  #siftDown(item: T, from: number): void {
    const items = this.#items;
    const count = items.length;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= count) break;
      if (childIndex + 1 < count && (items[childIndex + 1] as T).dueAtMs < (items[childIndex] as T).dueAtMs) {
        childIndex += 1;
      }
      const child = items[childIndex] as T;
      if (child.dueAtMs >= item.dueAtMs) break;
      items[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    items[index] = item;
    item.heapIndex = index;
  }
}
