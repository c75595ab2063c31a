import type { Writable } from "node:stream";

export type Output = Writable & { isTTY?: boolean };

/** Where a command writes: results to `stdout`, messages to `stderr`. Tests pass their own. */
export type CommandIo = { stdout: Output; stderr: Output };

/** Writes a value as indented JSON. */
export function writeJson({ stdout }: CommandIo, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
