import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addAuthorCommand } from "#lib/cli/commands/cassettes-author";
import { parseCassette } from "#lib/replay/cassettes/parse-cassette";

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
let output: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-author-"));
  await mkdir(join(folder, "legal"));
  await writeFile(join(folder, "legal/example.yaml"), script);
  output = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    output += String(text);
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

async function run(...words: string[]): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addAuthorCommand(program);
  await program.parseAsync(["author", ...words], { from: "user" });
}

test("writes the cassette beside its script, leaves no temporary file, and prints one line", async () => {
  await run(join(folder, "legal/example.yaml"));
  expect((await readdir(join(folder, "legal"))).sort()).toEqual(["example.json", "example.yaml"]);
  const { cassette } = parseCassette(await readFile(join(folder, "legal/example.json")));
  expect(cassette).toMatchObject({ id: "legal/example", provenance: { source: { script: "legal/example.yaml" } } });
  expect(output).toMatch(/^legal\/example: \d+ chunks, \d+\.\d s, \d+\.\d kB, in .*legal\/example\.json\n$/);
});

test("an invalid script fails the command with its reason, and a valid one is still built", async () => {
  await writeFile(join(folder, "legal/bad.yaml"), "title: [");
  const out = join(folder, "out");
  const failing = run(join(folder, "legal/bad.yaml"), join(folder, "legal/example.yaml"), "--out", out);
  await expect(failing).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining("legal/bad: the script: is not valid YAML"),
  });
  expect(await readdir(join(out, "legal"))).toEqual(["example.json"]);
});

test("a script outside the verticals, or not named .yaml, is rejected", async () => {
  await writeFile(join(folder, "stray.yaml"), script);
  await expect(run(join(folder, "stray.yaml"))).rejects.toThrow(/id: must be <vertical>\/<slug>/);
  await expect(run(join(folder, "legal/example.txt"))).rejects.toThrow(/file name: must end with \.yaml/);
});
