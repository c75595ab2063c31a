import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's root folder. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Writes the results of a benchmark to `.tapedeck/bench`, with the time and the machine, and prints where. */
export async function writeResults(name: string, results: object): Promise<void> {
  const path = join(root, ".tapedeck", "bench", `${name}.json`);
  await mkdir(dirname(path), { recursive: true });
  const machine = { cpu: cpus()[0]?.model, coreCount: cpus().length, node: process.versions.node };
  await writeFile(path, `${JSON.stringify({ at: new Date().toISOString(), machine, ...results }, null, 2)}\n`);
  console.log(`\nWritten: ${relative(root, path)}`);
}

/** Returns the integer in a text; undefined if it is none from `min` to `max`. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}
