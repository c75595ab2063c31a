import { beforeEach, describe, expect, test } from "vitest";
import { folderStore, StoreUnavailableError } from "#lib/replay/cassettes/index";
import { maxSequencesByteSize, parseSequences } from "#lib/replay/cassettes/sequences";
import { blobStore } from "#lib/replay/cassettes/stores/blob-store";
import { type BlobDouble, blobSettings, startBlobDouble } from "#tests/support/blob-double";
import { sampleCassette } from "#tests/support/sample-cassette";
import { temporaryFolder, writeIn } from "#tests/support/temporary-folder";

/** Timeout of a call: long enough for a busy machine, short enough for a test. */
const timeoutMs = 1_500;

let double: BlobDouble;
let folder: string;

beforeEach(async () => {
  double = await startBlobDouble();
  folder = temporaryFolder();
});

const putInFolder = (path: string, content: string) => writeIn(folder, path, content);

const backends = [
  { name: "folder", open: () => folderStore(folder), put: putInFolder },
  {
    name: "blob",
    open: () => blobStore(blobSettings),
    put: async (path: string, content: string) => double.set(`cassettes/${path}`, content),
  },
  {
    name: "private blob",
    open: () => blobStore({ ...blobSettings, access: "private" }),
    put: async (path: string, content: string) => double.set(`cassettes/${path}`, content),
  },
];

describe.each(backends)("a $name store", ({ open, put }) => {
  test("lists only cassettes, with their size, and reads their bytes", async () => {
    const text = sampleCassette("legal/nda-review");
    await put("legal/nda-review.json", text);
    await put("finance/bonds.json", "{}");
    for (const stray of [
      "legal/nda-review.yaml",
      "legal/x.json.12-abcdefabcdef.tmp",
      "legal/deep/x.json",
      "readme.json",
      "sequences.json",
    ]) {
      await put(stray, "stray");
    }
    const store = open();
    const files = (await store.list()).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(files.map(({ id, byteSize }) => ({ id, byteSize }))).toEqual([
      { id: "finance/bonds", byteSize: 2 },
      { id: "legal/nda-review", byteSize: Buffer.byteLength(text) },
    ]);
    const read = await store.read("legal/nda-review");
    expect(Buffer.from(read?.bytes ?? []).toString("utf8")).toBe(text);
    // The catalogue reads a file again whenever the two differ.
    expect(read?.revision).toBe(files[1]?.revision);
  });

  test("returns null for a missing cassette, and a new revision for a changed one", async () => {
    await put("legal/nda-review.json", "{}");
    const store = open();
    const [before] = await store.list();
    await put("legal/nda-review.json", '{ "changed": true }');
    const [after] = await store.list();
    expect(after?.revision).not.toBe(before?.revision);
    expect(await store.read("legal/other")).toBeNull();
  });

  test("reads the sequence file at its root, at most one byte over its limit; null if there is none", async () => {
    const store = open();
    await put("legal/sequences.json", "{}");
    expect(await store.read("sequences.json")).toBeNull();
    await put("sequences.json", '{"once": ["429"]}');
    expect(Buffer.from((await store.read("sequences.json"))?.bytes ?? []).toString("utf8")).toBe('{"once": ["429"]}');
    await put("sequences.json", " ".repeat(3 * maxSequencesByteSize));
    const { bytes } = (await store.read("sequences.json")) ?? {};
    expect(() => parseSequences(bytes ?? Buffer.of())).toThrow("1 MiB");
    expect(bytes?.byteLength).toBeLessThan(3 * maxSequencesByteSize);
  });
});

describe("Vercel Blob", () => {
  test("a listing of several pages is read completely", async () => {
    double.pageSize = 2;
    for (const slug of ["a", "b", "c", "d", "e"]) double.set(`cassettes/legal/${slug}.json`, "{}");
    double.set("elsewhere/legal/x.json", "{}");
    const ids = (await blobStore(blobSettings).list()).map(({ id }) => id);
    expect(ids.sort()).toEqual(["legal/a", "legal/b", "legal/c", "legal/d", "legal/e"]);
    expect(double.count("list")).toBe(3);
  });

  test.each(["down", "slow"] as const)("that is %s fails, including retries", async (mode) => {
    double.mode = mode;
    const store = blobStore(blobSettings, timeoutMs);
    await expect(store.list()).rejects.toThrow(StoreUnavailableError);
    await expect(store.read("legal/a")).rejects.toThrow(StoreUnavailableError);
  });

  test("a wrong token fails immediately", async () => {
    const store = blobStore({ ...blobSettings, token: "vercel_blob_rw_testStore_wrong" });
    await expect(store.list()).rejects.toMatchObject({ cause: { message: expect.stringContaining("Access denied") } });
  });
});
