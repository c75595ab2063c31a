import { Writable } from "node:stream";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { tapedeckCommand } from "#lib/cli/program";
import { runCommand } from "#tests/support/run-cli";

/** Lines of one screen, 80 columns wide; the list of all commands may have some more. */
const screenLines = 40;
const listLines = 50;

const pathsOf = ({ commands }: Command, path: readonly string[] = []): string[][] =>
  commands.flatMap((command) => {
    const own = [...path, command.name()];
    return [own, ...pathsOf(command, own)];
  });

it("has one screen for each command, and lists all but help itself", async () => {
  const nowhere = new Writable();
  const paths = pathsOf(await tapedeckCommand({ stdout: nowhere, stderr: nowhere }));
  expect(paths.length).toBeGreaterThan(50);
  const lengths: [string, number][] = [];
  for (const path of paths) {
    const { code, stdout } = await runCommand([...path, "--help"]);
    expect([path, code]).toEqual([path, 0]);
    lengths.push([path.join(" "), stdout.trimEnd().split("\n").length]);
  }
  expect(lengths.filter(([, lines]) => lines > screenLines)).toEqual([]);
  const { stdout } = await runCommand(["--help"]);
  expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(listLines);
  expect(stdout).not.toMatch(/^ +help\b/m);
  expect((await runCommand(["help", "run"])).stdout).toMatch(/^Usage: tapedeck run /);
});
