import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/parse-cassette";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

const script = `
title: An example
subtitle: For the tests (authored)
seed: 1
authored_at: "2026-11-01T00:00:00Z"
pace: { first_token_ms: 500 }
request: { max_tokens: 100, stream: true, messages: [{ role: user, content: Well? }] }
blocks: [{ type: text, text: "Hello, this is a plain answer." }]
ending: { stop_reason: end_turn }
`;

let folder: string;

beforeEach(async () => {
  folder = temporaryFolder();
  await mkdir(join(folder, "legal"));
  await writeFile(join(folder, "legal/example.yaml"), script);
});

const author = (...words: string[]) => runCommand(["cassettes", "author", ...words]);

test("writes the cassette beside its script, leaves no temporary file, and prints one line", async () => {
  const { code, stdout } = await author(join(folder, "legal/example.yaml"));
  expect(code).toBe(0);
  expect((await readdir(join(folder, "legal"))).sort()).toEqual(["example.json", "example.yaml"]);
  const { cassette } = parseCassette(await readFile(join(folder, "legal/example.json")));
  expect(cassette).toMatchObject({ id: "legal/example", provenance: { source: { script: "legal/example.yaml" } } });
  expect(stdout).toMatch(/^legal\/example: \d+ chunks, \d+\.\d s, \d+\.\d kB, written to .*legal\/example\.json\n$/);
});

test("an invalid script fails the command with its reason, and a valid one is still built", async () => {
  await writeFile(join(folder, "legal/bad.yaml"), "title: [");
  const out = join(folder, "out");
  const { code, stderr } = await author(
    join(folder, "legal/bad.yaml"),
    join(folder, "legal/example.yaml"),
    "--out",
    out,
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining("legal/bad: the script: is not valid YAML")]);
  expect(await readdir(join(out, "legal"))).toEqual(["example.json"]);
});

test("a script in a folder that cannot be part of an id, or not named .yaml, is rejected", async () => {
  await mkdir(join(folder, "No slug"));
  await writeFile(join(folder, "No slug/stray.yaml"), script);
  expect((await author(join(folder, "No slug/stray.yaml"))).stderr).toMatch(/id: must be <folder>\/<slug>/);
  expect((await author(join(folder, "legal/example.txt"))).stderr).toMatch(/file name: must end with \.yaml/);
});
