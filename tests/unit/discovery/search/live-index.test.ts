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
    const count = () =>
      index.use(
        async () => items,
        ({ size }) => size,
      );
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
          const found = await index.use(
            async () => items,
            () => rank(index, query),
          );
          const fresh = newIndex();
          expect(found).toEqual(
            await fresh.use(
              async () => items,
              () => rank(fresh, query),
            ),
          );
          expect(index.size).toBe(items.length);
        }
      }),
    );
  });

  it("indexes only what changed", async () => {
    const indexed: string[] = [];
    const index = newIndex(({ id }) => void indexed.push(id));
    const [a, b, c] = ["a", "b", "c"].map((id) => ({ id, body: `lease ${id}${id}` })) as [Item, Item, Item];
    const read = (items: Item[]) =>
      index.use(
        async () => items,
        () => index.version,
      );
    const first = await read([a, b, c]);
    expect(await read([a, b, c])).toBe(first);
    expect(await read([{ ...a }, b, c])).toBe(first);
    indexed.length = 0;
    expect(await read([a, { id: "b", body: "bond" }, c])).toBeGreaterThan(first);
    expect(indexed).toEqual(["b", "b"]);
    indexed.length = 0;
    await read([a, c]);
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
    const read = async () => {
      readCount += 1;
      await gate.promise;
      return items;
    };
    const uses = Array.from({ length: 8 }, () => index.use(read, () => index.size));
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
    await index.use(
      async () => items,
      () => undefined,
    );
    isDone = true;
    expect(turns).toBeGreaterThan(5);
  });

  it("throws the error of a failed read, and reads again on the next use", async () => {
    const index = newIndex();
    await expect(
      index.use(
        () => Promise.reject(new Error("down")),
        () => 1,
      ),
    ).rejects.toThrow("down");
    expect(
      await index.use(
        async () => [{ id: "a", body: "lease" }],
        () => index.size,
      ),
    ).toBe(1);
  });
});
