import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { folderStore } from "#lib/replay/cassettes/index";
import { temporaryFolder, writeIn } from "#tests/support/temporary-folder";

let folder: string;

beforeEach(async () => {
  folder = temporaryFolder();
});

const write = (path: string, text: string) => writeIn(folder, path, text);

const tape = (test: string) => JSON.stringify({ schema: "tape/1", test, exchanges: [] });

describe("a folder of cassettes and tapes", () => {
  it("has cassettes by folder, and the recordings of each tape by its test, however deep it lies", async () => {
    await write("legal/nda.json", "nda");
    await write("tests/trip.test.ts/books-a-trip/tape.json", tape("trip.test.ts > books a trip"));
    await write("tests/trip.test.ts/books-a-trip/001.cassette.json", "first");
    await write("tests/trip.test.ts/books-a-trip/002.cassette.json", "second");
    await write("default/tape.json", tape("default"));
    await write("default/001.cassette.json", "alone");
    for (const other of ["legal/notes.txt", "legal/Bad Name.json", "tests/deep/x.json", ".git/a.json", "top.json"])
      await write(other, "?");
    const store = folderStore(folder);
    const read = async (id: string) => (await store.read(id))?.bytes.toString();
    // Before the first listing too.
    expect(await read("trip-test-ts-books-a-trip/002")).toBe("second");
    const ids = (await store.list()).map(({ id }) => id).sort();
    expect(ids).toEqual(["default/001", "legal/nda", "trip-test-ts-books-a-trip/001", "trip-test-ts-books-a-trip/002"]);
    const texts = ["nda", "alone", "first", undefined];
    const asked = ["legal/nda", "default/001", "trip-test-ts-books-a-trip/001", "trip-test-ts-books-a-trip/003"];
    expect(await Promise.all(asked.map(read))).toEqual(texts);
  });

  it("has one file of an id, passes by lists that are broken, and links that lead back", async () => {
    await write("b/tape.json", tape("a test"));
    await write("b/001.cassette.json", "later");
    await write("a/tape.json", tape("A test!"));
    await write("a/001.cassette.json", "first");
    await write("c/tape.json", "{");
    await write("c/001.cassette.json", "?");
    await symlink(folder, join(folder, "a", "loop"));
    const store = folderStore(folder);
    // The list of a broken tape may be a cassette of that name; the catalogue refuses it.
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(["a-test/001", "c/tape"]);
    expect((await store.read("a-test/001"))?.bytes.toString()).toBe("first");
  });

  it("tells tests apart whose long names begin alike", async () => {
    const name = "trip.test.ts > a very long name of a test that says all that it expects";
    for (const [place, test] of [
      ["a", `${name}, and more`],
      ["b", `${name}, and less`],
    ] as const) {
      await write(`${place}/tape.json`, tape(test));
      await write(`${place}/001.cassette.json`, place);
    }
    const ids = (await folderStore(folder).list()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids)
      expect(id).toMatch(/^trip-test-ts-a-very-long-name-of-a-test-that-says[a-z-]*-[0-9a-f]{8}\/001$/);
  });

  it("that does not exist is a store that does not respond", async () => {
    await expect(folderStore(join(folder, "none")).list()).rejects.toThrow("could not read the cassette folder");
  });
});
