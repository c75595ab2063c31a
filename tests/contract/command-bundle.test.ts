import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { runCli } from "#tests/support/run-cli";
import { cacheFolder, findBundle, writeBundle } from "../../lib/cli/bootstrap/command-bundle.mjs";

describe("the bundled command", () => {
  it("runs from any folder, and finds cassettes, migrations and the database", async () => {
    await writeBundle();
    expect(findBundle()).toMatch(/node_modules.\.cache.tapedeck-cli-[0-9a-f]{16}.main\.js$/);
    // What it remembers of the sources is no more than a shortcut.
    writeFileSync(path.join(cacheFolder, "tapedeck-cli.json"), "{");
    expect(findBundle()).toMatch(/tapedeck-cli-[0-9a-f]{16}.main\.js$/);
    const options = { cwd: tmpdir(), environment: { DATABASE_URL: inject("databaseUrl") } };
    const failed = await runCli(["cassettes", "show", "legal/none"], options);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("legal/none")]);
    const vendors = await runCli(["vendors", "list", "--json"], options);
    expect([vendors.code, JSON.parse(vendors.stdout).length > 100]).toEqual([0, true]);
    const migrated = await runCli(["database", "migrate"], options);
    expect([migrated.code, migrated.stderr]).toEqual([0, ""]);
  });
});
