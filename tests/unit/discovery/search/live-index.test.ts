import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiveIndex, queryTerms } from "#lib/discovery/search/index";
import { deferred } from "#tests/support/deferred";

type Item = { id: string; body: string };

function newIndex(onIndexed: (item: Item) => void = () => {}) {
  return new LiveIndex<Item>({
    idOf: ({ id }) => id,
    partsOf: (item) => {
      onIndexed(item);
      return { head: item.id, body: item.body };
    },
    isSame: (a, b) => a.body === b.body,
    compare: (a, b) => (a.id < b.id ? -1 : 1),
  });
}

/** Uses an index once it has read these items. */
const read = <T>(index: LiveIndex<Item>, items: readonly Item[], use: () => T) => index.use(async () => items, use);

const rank = (index: LiveIndex<Item>, query: string) =>
  index.rank(queryTerms(query), 50).map(({ item, score }) => ({ id: item.id, score }));

const words = ["lease", "break", "notice", "bond", "yield", "stream"];
const body = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((some) => some.join(" "));

describe("an index of changing items", () => {
  it("looks at no item if it reads the same array as before", async () => {
    const index = newIndex();
    const seen: string[] = [];
    const item = (id: string) => ({
      get id() {
        seen.push(id);
        return id;
      },
      body: "lease",
    });
    const items = [item("a"), item("b")];
    const count = () => read(index, items, () => index.size);
    expect(await count()).toBe(2);
    seen.length = 0;
    expect(await count()).toBe(2);
    expect(seen).toEqual([]);
  });

  it("ranks after any changes exactly like a new index", async () => {
    const generation = fc.dictionary(fc.constantFrom(..."abcdefghij"), body, { maxKeys: 10 });
    await fc.assert(
      fc.asyncProperty(fc.array(generation, { minLength: 1, maxLength: 12 }), body, async (generations, query) => {
        const index = newIndex();
        for (const bodies of generations) {
          const items = Object.entries(bodies).map(([id, text]) => ({ id, body: text }));
          const found = await read(index, items, () => rank(index, query));
          const fresh = newIndex();
          expect(found).toEqual(await read(fresh, items, () => rank(fresh, query)));
          expect(index.size).toBe(items.length);
        }
      }),
    );
  });

  it("indexes only what changed", async () => {
    const indexed: string[] = [];
    const index = newIndex(({ id }) => void indexed.push(id));
    const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, body: `lease ${id}${id}` })) as [Item, Item, Item];
    const versionOf = (items: Item[]) => read(index, items, () => index.version);
    const first = await versionOf([a, b, c]);
    expect(await versionOf([a, b, c])).toBe(first);
    expect(await versionOf([{ ...a }, b, c])).toBe(first);
    indexed.length = 0;
    expect(await versionOf([a, { id: "b", body: "bond" }, c])).toBeGreaterThan(first);
    expect(indexed).toEqual(["b", "b"]);
    indexed.length = 0;
    await versionOf([a, c]);
    expect(indexed).toEqual(["b"]);
    expect(index.find("b")).toBeUndefined();
    expect(index.find("c")).toBe(c);
  });

  it("reads once for concurrent uses, and never exposes a partial change", async () => {
    const indexed: string[] = [];
    const index = newIndex(({ id }) => void indexed.push(id));
    const gate = deferred();
    let readCount = 0;
    const items = Array.from({ length: 40 }, (_, at) => ({ id: `id${at}`, body: "lease ".repeat(3_000) }));
    const readSlowly = async () => {
      readCount += 1;
      await gate.promise;
      return items;
    };
    const uses = Array.from({ length: 8 }, () => index.use(readSlowly, () => index.size));
    gate.resolve();
    expect(await Promise.all(uses)).toEqual(new Array(8).fill(40));
    expect(readCount).toBe(1);
    expect(indexed).toHaveLength(40);
  });

  it("lets other work run during a long update", async () => {
    const index = newIndex();
    const items = Array.from({ length: 20 }, (_, at) => ({ id: `id${at}`, body: "lease ".repeat(10_000) }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      if (isDone) return;
      turns += 1;
      setImmediate(count);
    };
    count();
    await read(index, items, () => undefined);
    isDone = true;
    expect(turns).toBeGreaterThan(5);
  });

  it("throws the error of a failed read, and reads again on the next use", async () => {
    const index = newIndex();
    const size = () => index.size;
    await expect(index.use(() => Promise.reject(new Error("down")), size)).rejects.toThrow("down");
    expect(await read(index, [{ id: "a", body: "lease" }], size)).toBe(1);
  });
});
