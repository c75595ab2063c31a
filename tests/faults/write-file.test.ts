import { spawn } from "node:child_process";
import { once } from "node:events";
import { link, mkdir, mkdtemp, open, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folderStore } from "#lib/replay/cassettes/index";
import { type FileSystem, writeFileAtomically } from "#lib/replay/cassettes/write-file";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-write-"));
  await mkdir(join(folder, "legal"));
  path = join(folder, "legal/a.json");
});

afterEach(() => rm(folder, { recursive: true }));

const filesThere = async () => (await readdir(join(folder, "legal"))).sort();

function failing(place: "writeFile" | "sync", code: string): FileSystem {
  const failingOpen = (async (...parameters: Parameters<typeof open>) => {
    const file = await open(...parameters);
    file[place] = async () => {
      throw Object.assign(new Error(`${code}: made for a test`), { code });
    };
    return file;
  }) as typeof open;
  return { open: failingOpen, link, rename };
}

test.each([
  ["writeFile", "ENOSPC", /the disk is full.*--out/],
  ["sync", "EDQUOT", /the disk is full/],
  ["writeFile", "EROFS", /read-only/],
  ["writeFile", "EIO", /EIO/],
] as const)(
  "a failure in %s (%s) leaves the old file as it was and no temporary one, and says why",
  async (place, code, message) => {
    await writeFile(path, "old");
    const writing = writeFileAtomically(path, "new", { replace: true, fileSystem: failing(place, code) });
    await expect(writing).rejects.toMatchObject({ name: "WriteError", code, message: expect.stringMatching(message) });
    expect(await filesThere()).toEqual(["a.json"]);
    expect(await readFile(path, "utf8")).toBe("old");
  },
);

test("of two writers at once that may not replace, exactly one wins", async () => {
  const contents = ["one".repeat(50_000), "two".repeat(50_000)];
  const results = await Promise.allSettled(contents.map((text) => writeFileAtomically(path, text, { replace: false })));
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const winner = contents[results.findIndex(({ status }) => status === "fulfilled")];
  expect(await readFile(path, "utf8")).toBe(winner);
  expect(await filesThere()).toEqual(["a.json"]);
});

test("where the file system has no hard links, a file that is there is still not replaced", async () => {
  const noLinks: FileSystem = {
    open,
    rename,
    link: () => Promise.reject(Object.assign(new Error("no"), { code: "EPERM" })),
  };
  await writeFileAtomically(path, "first", { replace: false, fileSystem: noLinks });
  const second = writeFileAtomically(path, "second", { replace: false, fileSystem: noLinks });
  await expect(second).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path, "utf8")).toBe("first");
});

test("a part of the path that is a file is told", async () => {
  await writeFile(path, "x");
  const writing = writeFileAtomically(join(path, "b.json"), "y", { replace: false });
  await expect(writing).rejects.toThrow(/a part of the path is a file|it already exists/);
});

test("a writer killed halfway leaves no cassette; what it leaves is no cassette's name and goes with the next write", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "tests/support/stuck-writer.ts", path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const [leftover, ...others] = await filesThere();
  expect(leftover).toMatch(/^a\.json\.\d+-[0-9a-f]{12}\.tmp$/);
  expect(others).toEqual([]);
  expect(await folderStore(folder).list()).toEqual([]);

  await writeFileAtomically(path, "whole", { replace: false });
  expect(await filesThere()).toEqual(["a.json"]);
});

test("a temporary file of a living writer is left alone, one that is hours old is not", async () => {
  const living = join(folder, `legal/b.json.${process.pid}-000000000000.tmp`);
  const old = join(folder, `legal/c.json.${process.pid}-000000000000.tmp`);
  await writeFile(living, "half");
  await writeFile(old, "half");
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await utimes(old, longAgo, longAgo);
  await writeFileAtomically(path, "whole", { replace: false });
  expect(await filesThere()).toEqual(["a.json", `b.json.${process.pid}-000000000000.tmp`]);
});
