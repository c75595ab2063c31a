import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { Catalogue, cassettesOfSite } from "#lib/replay/cassettes/index";
import { deferred } from "#tests/support/deferred";
import { sampleCassette } from "#tests/support/sample-cassette";

const callerCount = 50;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A catalogue of `legal/a` and `legal/b`, over a store that counts its reads and can hold them back. */
async function openCatalogue(maxCachedByteSize: number) {
  const files = new Map(["legal/a", "legal/b"].map((id) => [id, { text: sampleCassette(id), revision: "1" }]));
  const store = {
    files,
    reads: [] as string[],
    /** Resolves when reads may finish; a rejection makes them fail. */
    gate: Promise.resolve() as Promise<unknown>,
  };
  const catalogue = new Catalogue({
    store: {
      kind: "folder",
      list: async () => [...files].map(([id, { text, revision }]) => ({ id, revision, byteSize: text.length })),
      read: async (id) => {
        store.reads.push(id);
        await store.gate;
        const file = files.get(id);
        return file ? { bytes: Buffer.from(file.text), revision: file.revision } : null;
      },
    },
    log: pino({ level: "silent" }),
    monotonicMs: () => 0,
    maxAgeMs: Number.POSITIVE_INFINITY,
    maxCachedByteSize,
  });
  await catalogue.list();
  store.reads = [];
  return { catalogue, store };
}

/** A cache that holds one of the two recordings. */
async function openSmallCatalogue() {
  const { catalogue } = await openCatalogue(1_000_000);
  const { byteSize = 0 } = (await catalogue.recording("legal/a")) ?? {};
  return openCatalogue(byteSize + 1);
}

describe("the list of cassettes", () => {
  test("is the same array until a reload finds a change", async () => {
    const { catalogue, store } = await openCatalogue(1_000_000);
    const context = { catalogue, site: { vertical: "legal" as const } };
    const lists = async () => [await catalogue.list(), await cassettesOfSite(context)] as const;
    const [all, ofSite] = await lists();
    expect([(await lists())[0] === all, (await lists())[1] === ofSite]).toEqual([true, true]);
    store.files.delete("legal/b");
    await catalogue.refresh();
    const changed = await lists();
    expect(changed.map((list) => list.map(({ id }) => id))).toEqual([["legal/a"], ["legal/a"]]);
  });
});

describe("the cache of recordings", () => {
  test("reads an evicted cassette once for any number of concurrent replays", async () => {
    const { catalogue, store } = await openSmallCatalogue();
    await catalogue.recording("legal/b");
    store.reads = [];
    const recordings = await Promise.all(Array.from({ length: callerCount }, () => catalogue.recording("legal/a")));
    expect(store.reads).toEqual(["legal/a"]);
    expect(new Set(recordings).size).toBe(1);
    expect(recordings[0]?.id).toBe("legal/a");
    await catalogue.recording("legal/a");
    expect(store.reads).toEqual(["legal/a"]);
  });

  test("keeps no more bytes than its bound, the most recently played first", async () => {
    const { catalogue, store } = await openSmallCatalogue();
    for (const id of ["legal/a", "legal/b", "legal/b", "legal/a"]) await catalogue.recording(id);
    expect(store.reads.slice(-2)).toEqual(["legal/b", "legal/a"]);
  });

  test("plays a recording that is larger than the whole cache, and still shares its read", async () => {
    const { catalogue, store } = await openCatalogue(1);
    const recordings = await Promise.all(Array.from({ length: callerCount }, () => catalogue.recording("legal/a")));
    expect(recordings.every((recording) => recording !== undefined && recording === recordings[0])).toBe(true);
    expect(store.reads).toEqual(["legal/a"]);
  });

  test("a reload that replaces the cassette does not fail the replays that wait for it", async () => {
    const { catalogue, store } = await openSmallCatalogue();
    await catalogue.recording("legal/b");
    const held = deferred<void>();
    store.gate = held.promise;
    const waiting = Array.from({ length: callerCount }, () => catalogue.recording("legal/a"));
    await turn();
    store.gate = Promise.resolve();
    store.files.set("legal/a", { text: sampleCassette("legal/a", "Something new."), revision: "2" });
    await catalogue.refresh();
    held.resolve();
    expect((await Promise.all(waiting)).map((recording) => recording?.id)).toEqual(waiting.map(() => "legal/a"));
  });

  test("a failed read fails its callers with 503, and the next replay reads again", async () => {
    const { catalogue, store } = await openCatalogue(1);
    store.gate = Promise.reject(new Error("down"));
    store.gate.catch(() => undefined);
    const failed = await Promise.allSettled(Array.from({ length: callerCount }, () => catalogue.recording("legal/a")));
    expect(failed.every((one) => one.status === "rejected" && one.reason.code === "service_unavailable")).toBe(true);
    store.gate = Promise.resolve();
    expect((await catalogue.recording("legal/a"))?.id).toBe("legal/a");
  });
});
