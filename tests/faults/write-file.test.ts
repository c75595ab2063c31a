import { spawn } from "node:child_process";
import { once } from "node:events";
import { link, mkdir, open, readdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { folderStore } from "#lib/replay/cassettes/index";
import { type FileSystem, writeFileAtomically } from "#lib/replay/cassettes/write-file";
import { temporaryFolder } from "#tests/support/temporary-folder";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = temporaryFolder();
  await mkdir(join(folder, "legal"));
  path = join(folder, "legal/a.json");
});

const listFiles = async () => (await readdir(join(folder, "legal"))).sort();

function failing(operation: "writeFile" | "sync", code: string): FileSystem {
  const fail = async () => {
    throw Object.assign(new Error(`${code}: simulated`), { code });
  };
  if (operation === "sync") return { open, link, rename, sync: fail };
  const failingOpen = (async (...parameters: Parameters<typeof open>) =>
    Object.assign(await open(...parameters), { writeFile: fail })) as typeof open;
  return { open: failingOpen, link, rename };
}

test.each([
  ["writeFile", "ENOSPC", /the disk is full.*--out/],
  ["sync", "EDQUOT", /the disk is full/],
  ["writeFile", "EROFS", /read-only/],
  ["writeFile", "EIO", /EIO/],
] as const)(
  "a failure in %s (%s) keeps the old file, leaves no temporary file, and has a clear message",
  async (operation, code, message) => {
    await writeFile(path, "old");
    const writing = writeFileAtomically(path, "new", { replace: true, fileSystem: failing(operation, code) });
    await expect(writing).rejects.toMatchObject({ name: "WriteError", code, message: expect.stringMatching(message) });
    expect(await listFiles()).toEqual(["a.json"]);
    expect(await readFile(path, "utf8")).toBe("old");
  },
);

test("of two concurrent writers that must not replace the file, exactly one succeeds", async () => {
  const contents = ["one".repeat(50_000), "two".repeat(50_000)];
  const results = await Promise.allSettled(contents.map((text) => writeFileAtomically(path, text, { replace: false })));
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const winner = contents[results.findIndex(({ status }) => status === "fulfilled")];
  expect(await readFile(path, "utf8")).toBe(winner);
  expect(await listFiles()).toEqual(["a.json"]);
});

test("an existing file is not replaced even on a file system without hard links", async () => {
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

test("a file used as a folder in the path is reported", async () => {
  await writeFile(path, "x");
  const writing = writeFileAtomically(join(path, "b.json"), "y", { replace: false });
  await expect(writing).rejects.toThrow(/a part of the path is a file|it already exists/);
});

test("a writer killed halfway leaves only a temporary file, which the next write removes", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "tests/support/stuck-writer.ts", path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const [leftover, ...others] = await listFiles();
  expect(leftover).toMatch(/^a\.json\.\d+-[0-9a-f]{12}\.tmp$/);
  expect(others).toEqual([]);
  expect(await folderStore(folder).list()).toEqual([]);

  await writeFileAtomically(path, "whole", { replace: false });
  expect(await listFiles()).toEqual(["a.json"]);
});

test("a temporary file of a running writer is kept, one that is hours old is removed", async () => {
  const recent = join(folder, `legal/b.json.${process.pid}-000000000000.tmp`);
  const old = join(folder, `legal/c.json.${process.pid}-000000000000.tmp`);
  await writeFile(recent, "half");
  await writeFile(old, "half");
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await utimes(old, longAgo, longAgo);
  await writeFileAtomically(path, "whole", { replace: false });
  expect(await listFiles()).toEqual(["a.json", `b.json.${process.pid}-000000000000.tmp`]);
});
