import { setImmediate } from "node:timers/promises";
import type { Catalogue, Vertical } from "#lib/replay/cassettes/index";
import { type Parts, TermIndex } from "./ranking/term-index";

/** How an index handles its items. */
type LiveIndexOptions<Item extends object> = {
  idOf: (item: Item) => string;
  /** Must return the same parts for the same item. */
  partsOf: (item: Item) => Parts;
  /** Returns whether an item has the same content as another one with its id, so that it need not be indexed again. */
  isSame: (a: Item, b: Item) => boolean;
  /** Order of items with the same score. */
  compare: (a: Item, b: Item) => number;
  /** Whether a change of the item increases the version. Default: any does. */
  isVersioned?: (item: Item) => boolean;
};

export type Found<Item> = { item: Item; score: number };

/** Characters indexed, in a few milliseconds, before other work gets a turn. */
const sliceLength = 100_000;
/** The index is compacted when it has this many removed documents, and this share of its live ones. */
const minRemovedCount = 32;
const removedShare = 0.25;

/**
 * An index of items that change. Each use first indexes new items and removes deleted ones, so that it ranks like a newly
 * built index. Concurrent uses share this work, and none sees a partly updated index.
 */
export class LiveIndex<Item extends object> {
  readonly #options: LiveIndexOptions<Item>;
  #index = new TermIndex();
  /** Items by document number. */
  #items: (Item | undefined)[] = [];
  readonly #documents = new Map<string, number>();
  #refreshing: Promise<void> | undefined;
  #changing: Promise<void> | undefined;
  #version = 0;
  /** The items to which the index was last updated. */
  #current: readonly Item[] | undefined;

  constructor(options: LiveIndexOptions<Item>) {
    this.#options = options;
  }

  get size(): number {
    return this.#documents.size;
  }

  /** Increases with each change of an item that is versioned. */
  get version(): number {
    return this.#version;
  }

  /** Updates the index to the items that `read` returns, which may return the same array if nothing changed, then runs `work` synchronously, before it can change again. */
  async use<Result>(read: () => Promise<readonly Item[]>, work: (index: this) => Result): Promise<Result> {
    this.#refreshing ??= this.#refresh(read).finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    while (this.#changing) await this.#changing;
    return work(this);
  }

  find(id: string): Item | undefined {
    const document = this.#documents.get(id);
    return document === undefined ? undefined : this.#items[document];
  }

  /** Returns the best items that contain any of the weighted terms, best first. */
  rank(terms: ReadonlyMap<string, number>, limit: number): Found<Item>[] {
    const items = this.#items;
    const compare = (a: number, b: number) => this.#options.compare(items[a] as Item, items[b] as Item);
    const ranked = this.#index.rank({ terms, limit, compare });
    return ranked.map(({ document, score }) => ({ item: items[document] as Item, score }));
  }

  /** The terms of the items, until the next change. */
  get terms(): TermIndex {
    return this.#index;
  }

  /** Returns the inverse document frequency of a term, 0 if no item contains it. */
  inverseFrequency(term: string): number {
    return this.#index.inverseFrequency(term);
  }

  async #refresh(read: () => Promise<readonly Item[]>): Promise<void> {
    const items = await read();
    if (items === this.#current) return;
    const wanted = new Map(items.map((item) => [this.#options.idOf(item), item]));
    const removed = [...this.#documents.keys()].filter((id) => !this.#isCurrent(id, wanted.get(id)));
    const added = [...wanted].filter(([id, item]) => !this.#isCurrent(id, item));
    if (removed.length > 0 || added.length > 0) {
      this.#changing = this.#change(removed, added).finally(() => {
        this.#changing = undefined;
      });
      await this.#changing;
    }
    this.#current = items;
  }

  #isCurrent(id: string, item: Item | undefined): boolean {
    const indexed = this.find(id);
    if (!indexed || !item) return false;
    return indexed === item || this.#options.isSame(indexed, item);
  }

  async #change(removed: readonly string[], added: readonly [string, Item][]): Promise<void> {
    let length = 0;
    const pause = async ({ head, body }: Parts) => {
      length += head.length + body.length;
      if (length < sliceLength) return;
      length = 0;
      await setImmediate();
    };
    const { isVersioned = () => true } = this.#options;
    const isRemoved = removed.some((id) => isVersioned(this.find(id) as Item));
    if (isRemoved || added.some(([, item]) => isVersioned(item))) this.#version += 1;
    for (const id of removed) await pause(this.#remove(id));
    for (const [id, item] of added) await pause(this.#add(id, item));
    this.#compact();
  }

  #add(id: string, item: Item): Parts {
    const parts = this.#options.partsOf(item);
    const document = this.#index.add(parts);
    this.#items[document] = item;
    this.#documents.set(id, document);
    return parts;
  }

  #remove(id: string): Parts {
    const document = this.#documents.get(id) as number;
    const parts = this.#options.partsOf(this.#items[document] as Item);
    this.#index.remove(document, parts);
    this.#items[document] = undefined;
    this.#documents.delete(id);
    return parts;
  }

  /** Compacts the index if too much of it belongs to removed documents. */
  #compact(): void {
    const { removedCount, size } = this.#index;
    if (removedCount < minRemovedCount || removedCount < size * removedShare) return;
    const { index, numbers } = this.#index.compacted();
    const items: (Item | undefined)[] = [];
    for (const [id, document] of this.#documents) {
      const number = numbers[document] as number;
      items[number] = this.#items[document];
      this.#documents.set(id, number);
    }
    this.#index = index;
    this.#items = items;
  }
}

/** One index for each vertical of a catalogue, so that a site's cassettes do not affect the ranking of another site. */
export class SiteIndexes<Item extends object> {
  readonly #create: () => LiveIndex<Item>;
  readonly #indexes = new WeakMap<Catalogue, Map<Vertical, LiveIndex<Item>>>();

  constructor(create: () => LiveIndex<Item>) {
    this.#create = create;
  }

  /** Returns the index of a site, which is empty until its first use. */
  indexOf({ catalogue, site }: { catalogue: Catalogue; site: { vertical: Vertical } }): LiveIndex<Item> {
    const byVertical = this.#indexes.get(catalogue) ?? new Map<Vertical, LiveIndex<Item>>();
    this.#indexes.set(catalogue, byVertical);
    const index = byVertical.get(site.vertical) ?? this.#create();
    byVertical.set(site.vertical, index);
    return index;
  }
}
