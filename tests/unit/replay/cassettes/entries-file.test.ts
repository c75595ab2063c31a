import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entriesFile } from "#lib/replay/cassettes/entries-file";
import { type CassetteSummary, Catalogue, folderStore } from "#lib/replay/cassettes/index";
import { minThreadCount } from "#lib/replay/cassettes/read-entries";
import { deferred } from "#tests/support/deferred";
import { sampleCassette } from "#tests/support/sample-cassette";

const ids = Array.from({ length: minThreadCount }, (_, number) => `legal/n${number}`);
const names = { place: "a store", code: async () => "some code" };
let base: string;
/** The file that the first start wrote. */
let firstFile: string;

const fileOf = (id: string) => join(base, "store", `${id}.json`);
let fileCount = 0;

/** Returns the path of a copy, so that tests do not change each other's file. */
async function copyOfFirst(): Promise<string> {
  fileCount += 1;
  const path = join(base, `${fileCount}.ndjson`);
  await copyFile(firstFile, path);
  return path;
}

/** A catalogue as a started server has it. `reads` are the ids of the files that were read. */
function start(path: string, { gate, readGate }: { gate?: Promise<void>; readGate?: Promise<void> } = {}) {
  const { read, list } = folderStore(join(base, "store"));
  const reads: string[] = [];
  const store = {
    kind: "folder" as const,
    list: async () => {
      await gate;
      return list();
    },
    read: async (id: string) => {
      if (ids.includes(id)) await readGate;
      const found = await read(id);
      reads.push(id);
      return found;
    },
  };
  const stored = entriesFile(path, names);
  let wrote: (writing: Promise<void>) => void = () => undefined;
  const written = new Promise<void>((resolve) => {
    wrote = resolve;
  });
  const write: typeof stored.write = (entries) => {
    const writing = stored.write(entries);
    wrote(writing);
    return writing;
  };
  const catalogue = new Catalogue({
    store,
    log: pino({ level: "silent" }),
    monotonicMs: () => 0,
    maxAgeMs: Number.POSITIVE_INFINITY,
    entriesFile: { ...stored, write },
  });
  return { catalogue, reads, written };
}

let listed: readonly CassetteSummary[];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "entries-file-"));
  firstFile = join(base, "data/cassettes.ndjson");
  await mkdir(join(base, "store/legal"), { recursive: true });
  for (const id of ids) await writeFile(fileOf(id), sampleCassette(id, "Hello there. – “Ah.”"));
  const { catalogue, written } = start(firstFile);
  listed = await catalogue.list();
  await written;
});

afterAll(() => rm(base, { recursive: true }));

test("a later start reads no file, and lists the same", async () => {
  const { catalogue, reads } = start(firstFile);
  expect(await catalogue.list()).toEqual(listed);
  const textsOf = (list: typeof listed) => list.map(({ prompt, text }) => [prompt, text]);
  expect(textsOf(await catalogue.list())).toEqual(ids.map(() => ["Well?", "Hello there. – “Ah.”"]));
  expect(listed.map(({ id }) => id)).toEqual(ids.toSorted());
  expect(reads).toEqual([]);
  expect(await readdir(join(base, "data"))).toEqual(["cassettes.ndjson"]);
  expect((await stat(firstFile)).mode & 0o777).toBe(0o600);
});

test.each([
  ["of another store", { ...names, place: "another store" }],
  ["written by other code", { ...names, code: async () => "other code" }],
  ["in a process whose code may change", { ...names, code: async () => undefined }],
])("a file %s is not used", async (_, otherNames) => {
  expect((await entriesFile(firstFile, names).read()).size).toBe(ids.length);
  expect((await entriesFile(firstFile, otherNames).read()).size).toBe(0);
});

test.each([
  ["cut off", (text: string) => text.slice(0, text.length / 2)],
  ["cut off between two lines", (text: string) => text.split("\n").slice(0, 9).join("\n")],
  ["empty", () => ""],
  ["not JSON", () => "Once upon a time"],
  ["changed in a text", (text: string) => text.replace("Hello there.", "Hello where.")],
  ["changed in a title", (text: string) => text.replace("Sample legal/n7", "Simple legal/n7")],
  ["written by an earlier version", () => '{"place":"a store","code":"some code","count":0}\n'],
])("a file that is %s is not used", async (_, damage) => {
  const path = await copyOfFirst();
  const text = await readFile(path, "utf8");
  expect(damage(text)).not.toBe(text);
  await writeFile(path, damage(text));
  expect((await entriesFile(path, names).read()).size).toBe(0);
});

test("a later start reads what changed since, even if size and time of modification stayed, and what is damaged", async () => {
  const [changed, removed, damaged] = ids as [string, string, string];
  const kept = await Promise.all([changed, removed, damaged].map((id) => readFile(fileOf(id))));
  const time = new Date("2026-01-01");
  const write = async (text: string) => {
    await writeFile(fileOf(changed), sampleCassette(changed, text));
    await utimes(fileOf(changed), time, time);
  };
  await write("Before.");
  const running = start(firstFile).catalogue;
  expect((await running.find(changed))?.text).toBe("Before.");
  await write("After..");
  await rm(fileOf(removed));
  await writeFile(fileOf(damaged), "{}");
  await writeFile(fileOf("legal/added"), sampleCassette("legal/added"));
  await running.refresh();
  for (const catalogue of [running, start(firstFile).catalogue]) {
    expect((await catalogue.find(changed))?.text).toBe("After..");
    expect(await catalogue.find(removed)).toBeUndefined();
    expect(await catalogue.find(damaged)).toBeUndefined();
  }
  const { catalogue, reads } = start(firstFile);
  await catalogue.list();
  expect(reads.toSorted()).toEqual(["legal/added", changed, damaged].toSorted());
  await rm(fileOf("legal/added"));
  for (const [index, id] of [changed, removed, damaged].entries()) await writeFile(fileOf(id), kept[index]!);
});

test("where it cannot be written, everything is read and served", async () => {
  const notFolder = join(base, "not-a-folder");
  await writeFile(notFolder, "");
  const { catalogue, reads, written } = start(join(notFolder, "cassettes.ndjson"));
  expect(await catalogue.list()).toHaveLength(ids.length);
  expect(reads).toHaveLength(ids.length);
  await expect(written).rejects.toThrow("was not written");
  expect((await catalogue.recording(ids[0]!))?.id).toBe(ids[0]);
});

test("before the listing is loaded, a cassette is played from its file, and nothing outside of the store", async () => {
  const { promise: gate, resolve: load } = deferred<void>();
  const { catalogue, reads } = start(firstFile, { gate });
  await writeFile(join(base, "outside.json"), sampleCassette("legal/n0"));
  const id = ids.at(-1)!;
  expect((await catalogue.recording(id))?.id).toBe(id);
  const outside = ["../outside", "legal/../../outside"];
  const played = Promise.all(outside.map((each) => catalogue.recording(each)));
  await writeFile(fileOf(id), sampleCassette(id, "Changed meanwhile."));
  load();
  expect(await played).toEqual([undefined, undefined]);
  expect(reads).toEqual([id]);
  await catalogue.list();
  const changed = await catalogue.recording(id);
  expect(Buffer.concat((changed?.chunks ?? []) as Uint8Array[]).toString()).toContain("Changed meanwhile.");
});

test("an unknown id is known as such from the names of the files, while these are still read", async () => {
  const { promise: gate, resolve: list } = deferred<void>();
  const { promise: readGate, resolve: read } = deferred<void>();
  const { catalogue, reads, written } = start(join(base, "none.ndjson"), { gate, readGate });
  const [unknown, added] = ["legal/unknown", "legal/added"].map((id) => catalogue.recording(id));
  await expect.poll(() => reads).toEqual(expect.arrayContaining(["legal/unknown", "legal/added"]));
  await writeFile(fileOf("legal/added"), sampleCassette("legal/added"));
  list();
  expect(await unknown).toBeUndefined();
  expect((await catalogue.ids()).toSorted()).toEqual(["legal/added", ...ids].toSorted());
  expect(reads.filter((id) => ids.includes(id))).toEqual([]);
  read();
  expect((await added)?.id).toBe("legal/added");
  await written;
  await rm(fileOf("legal/added"));
});
