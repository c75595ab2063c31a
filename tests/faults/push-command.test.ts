import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BlobDouble, blobToken, startBlobDouble } from "#tests/support/blob-double";
import { runCli } from "#tests/support/run-cli";
import { sampleCassette } from "#tests/support/sample-cassette";

let double: BlobDouble;
let folder: string;

beforeEach(async () => {
  double = await startBlobDouble();
  folder = await mkdtemp(join(tmpdir(), "tapedeck-push-"));
  await mkdir(join(folder, "legal"));
  await writeFile(join(folder, "legal/good.json"), sampleCassette("legal/good"));
});

afterEach(async () => {
  await double.close();
  await rm(folder, { recursive: true });
});

function push(...args: string[]) {
  const redirect = pathToFileURL(join(import.meta.dirname, "../support/redirect-blob.mjs")).href;
  return runCli(["cassettes", "push", ...args], {
    environment: {
      NODE_OPTIONS: `--import=${redirect}`,
      BLOB_DOUBLE_ORIGIN: double.origin,
      BLOB_READ_WRITE_TOKEN: blobToken,
      VERCEL_BLOB_RETRIES: "0",
      CASSETTE_DIR: folder,
    },
  });
}

test("reports each pushed cassette; a second push has nothing to do", async () => {
  expect(await push()).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^pushed +legal\/good +\(.* kB\)\n$/),
    stderr: "",
  });
  expect(double.contentOf("cassettes/legal/good.json")).toBe(sampleCassette("legal/good"));
  const again = await push("--json");
  expect(JSON.parse(again.stdout)).toMatchObject([{ id: "legal/good", outcome: "unchanged" }]);
});

test("exits with code 1 if a cassette is invalid, and names it", async () => {
  await writeFile(join(folder, "legal/bad.json"), "{");
  const { code, stdout, stderr } = await push();
  expect(code).toBe(1);
  expect(stdout).toMatch(/failed +legal\/bad: is not valid JSON/);
  expect(stderr).toBe("1 of 2 files were not pushed.\n");
});

test("reports in one line that Blob is unavailable", async () => {
  double.mode = "down";
  const { code, stdout, stderr } = await push();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^could not list the cassettes in Vercel Blob: .*not available.*\n$/);
});
