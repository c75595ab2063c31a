import { setImmediate } from "node:timers/promises";
import { type Parts, TermIndex } from "./ranking/term-index";

/** What an index must know of the things that it holds. */
export type LiveIndexOptions<Item extends object> = {
  idOf: (item: Item) => string;
  /** The same for an item each time it is asked. */
  partsOf: (item: Item) => Parts;
  /** Whether an item need not be indexed anew in the place of another with its id. */
  isSame: (a: Item, b: Item) => boolean;
  /** Order of two items with the same score. */
  compare: (a: Item, b: Item) => number;
};

export type Found<Item> = { item: Item; score: number };

/** Characters that are indexed before other work gets its turn: a few milliseconds of it. */
const sliceLength = 100_000;
/** Removed documents are cleared away when they are this many, and this share of what is there. */
const minCleared = 32;
const clearedShare = 0.25;

/**
 * An index over things that change. Each use brings it up to date first, by indexing what is new and removing what is
 * gone; it then ranks as an index made anew would. Uses at once share that work, and none sees it half done.
 */
export class LiveIndex<Item extends object> {
  readonly #options: LiveIndexOptions<Item>;
  #index = new TermIndex();
  /** By document number. */
  #items: (Item | undefined)[] = [];
  readonly #documents = new Map<string, number>();
  #refreshing: Promise<void> | undefined;
  #changing: Promise<void> | undefined;
  #version = 0;

  constructor(options: LiveIndexOptions<Item>) {
    this.#options = options;
  }

  get size(): number {
    return this.#documents.size;
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** Brings the index to what `read` gives, and runs `work` on it at once, before it changes again. */
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

  /** The best items for weighted terms, best first; none that holds none of them. */
  rank(terms: ReadonlyMap<string, number>, limit: number): Found<Item>[] {
    const items = this.#items;
    const compare = (a: number, b: number) => this.#options.compare(items[a] as Item, items[b] as Item);
    const ranked = this.#index.rank({ terms, limit, compare });
    return ranked.map(({ document, score }) => ({ item: items[document] as Item, score }));
  }

  /** How much a term tells, 0 where nothing holds it. */
  inverseFrequency(term: string): number {
    return this.#index.inverseFrequency(term);
  }

  async #refresh(read: () => Promise<readonly Item[]>): Promise<void> {
    const items = await read();
    const wanted = new Map(items.map((item) => [this.#options.idOf(item), item]));
    const gone = [...this.#documents.keys()].filter((id) => !this.#isHeld(id, wanted.get(id)));
    const added = [...wanted].filter(([id, item]) => !this.#isHeld(id, item));
    if (gone.length === 0 && added.length === 0) return;
    this.#changing = this.#change(gone, added).finally(() => {
      this.#changing = undefined;
    });
    await this.#changing;
  }

  #isHeld(id: string, item: Item | undefined): boolean {
    const held = this.find(id);
    if (!held || !item) return false;
    return held === item || this.#options.isSame(held, item);
  }

  async #change(gone: readonly string[], added: readonly [string, Item][]): Promise<void> {
    let length = 0;
    const pause = async ({ head, body }: Parts) => {
      length += head.length + body.length;
      if (length < sliceLength) return;
      length = 0;
      await setImmediate();
    };
    this.#version += 1;
    for (const id of gone) await pause(this.#remove(id));
    for (const [id, item] of added) await pause(this.#add(id, item));
    this.#clear();
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

  /** Makes room where too much of the index belongs to what was removed. */
  #clear(): void {
    const { removedCount, size } = this.#index;
    if (removedCount < minCleared || removedCount < size * clearedShare) return;
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
