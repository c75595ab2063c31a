import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runCommand } from "#tests/support/run-cli";
import { sampleCassette } from "#tests/support/sample-cassette";
import { temporaryFolder } from "#tests/support/temporary-folder";

let folder: string;

beforeEach(async () => {
  folder = temporaryFolder();
  await mkdir(join(folder, "legal"));
  await writeFile(join(folder, "legal/good.json"), sampleCassette("legal/good"));
});

async function verify(sequences: string | null, ...args: string[]) {
  if (sequences !== null) await writeFile(join(folder, "sequences.json"), sequences);
  return runCommand(["cassettes", "verify", ...args], { environment: { CASSETTE_DIR: folder } });
}

test("a store without a sequence file is verified by its cassettes", async () => {
  expect(await verify(null)).toEqual({ code: 0, stdout: "ok   legal/good\n", stderr: "" });
});

test("the sequence file is verified with the whole store, and not with named cassettes", async () => {
  expect(await verify('{"once": ["429", "legal/good"]}')).toEqual({
    code: 0,
    stdout: "ok   legal/good\nok   sequences.json\n",
    stderr: "",
  });
  expect((await verify("{", "legal/good")).stdout).toBe("ok   legal/good\n");
});

test.each([
  ["{", /^BAD {2}sequences\.json is not valid JSON/m],
  ['{"once": ["sometimes"]}', /^BAD {2}sequences\.json .*once\.0: must be/m],
  ['{"once": ["legal/good", "legal/bad"]}', /^BAD {2}sequences\.json names legal\/bad, which is not in the store$/m],
])("a sequence file that cannot be played fails the command: %s", async (sequences, reason) => {
  const { code, stdout, stderr } = await verify(sequences);
  expect([code, stderr]).toEqual([1, "1 of 2 files are broken.\n"]);
  expect(stdout).toMatch(reason);
});
