import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/index";
import { bundledFolder } from "#tests/support/bundled-cassettes";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, "001.cassette.json");
  await copyFile(join(bundledFolder, "finance/receipt-matching.json"), file);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const edit = (...args: string[]) => runCommand(["edit", file, ...args]);
const read = () => readFile(file, "utf8");

describe("tapedeck edit", () => {
  it("prints what can be edited, and writes what was", async () => {
    const { stdout } = await edit("--print");
    expect(stdout).toContain("since: 2026-11-16");
    const changed = join(folder, "changed.yaml");
    await writeFile(changed, stdout.replace("2026-11-16", "2025-01-01"));
    expect(await edit("--set", changed)).toMatchObject({ code: 0, stdout: expect.stringContaining("sealed again") });
    expect((await edit("--print")).stdout).toContain("since: 2025-01-01");
    expect(parseCassette(Buffer.from(await read())).cassette.provenance.edited).toMatch(/^\d{4}-/);
    expect((await runCommand(["show", file])).stdout).toContain("Edited");
  });

  it("finds a recording by its id, among cassettes and on tapes", async () => {
    const environment = { CASSETTE_DIR: folder };
    await mkdir(join(folder, "tests/trip"), { recursive: true });
    await writeFile(
      join(folder, "tests/trip/tape.json"),
      JSON.stringify({ schema: "tape/1", test: "A trip", exchanges: [] }),
    );
    for (const place of ["tests/trip/001.cassette.json", "legal/nda.json"]) {
      await mkdir(dirname(join(folder, place)), { recursive: true });
      await copyFile(file, join(folder, place));
    }
    for (const id of ["a-trip/001", "legal/nda"])
      expect(await runCommand(["edit", id, "--print"], { environment })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("2026-11-16"),
      });
    expect(await runCommand(["edit", "a-trip/002", "--print"], { environment })).toMatchObject({ code: 2 });
  });

  it("says which file of changes is missing", async () => {
    const missing = join(folder, "none.yaml");
    expect(await edit("--set", missing)).toMatchObject({ code: 2, stderr: expect.stringContaining(missing) });
  });

  it("opens the user's editor, and changes nothing if that fails or changes nothing", async () => {
    vi.spyOn(process, "stdin", "get").mockReturnValue({ isTTY: true } as typeof process.stdin);
    const before = await read();
    for (const [script, code, said] of [
      ["exit 3", 1, "ended with 3. Nothing was changed."],
      ["true", 0, "Nothing was changed."],
      ['printf "{" > "$1"', 1, "not valid YAML"],
    ] as const) {
      const editor = join(folder, "editor");
      await writeFile(editor, `#!/bin/sh\n${script}\n`);
      await chmod(editor, 0o755);
      const result = await runCommand(["edit", file], { environment: { VISUAL: editor } });
      expect([result.code, result.stdout + result.stderr]).toEqual([code, expect.stringContaining(said)]);
      expect(await read()).toBe(before);
    }
  });

  it("refuses a file that was edited by hand, with what to use instead", async () => {
    await writeFile(file, (await read()).replace("2026-11-16", "2026-11-17"));
    expect(await edit("--print")).toMatchObject({ code: 1, stderr: expect.stringContaining("the command `edit`") });
    expect(await runCommand(["edit", "legal/none"])).toMatchObject({ code: 2 });
    expect(await runCommand(["edit", folder])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it is a folder"),
    });
  });
});
