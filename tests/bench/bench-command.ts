import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Bounds of a whole number that a benchmark takes as an option. */
type Bounds = { default: number; min: number; max: number };

type Command<Name extends string> = {
  commandLine: string[];
  helpText: string;
  numbers: Record<Name, Bounds>;
  /** Whether the benchmark has the option `--publish`. */
  canPublish?: boolean;
};

/** Runs a benchmark with options that are whole numbers. Returns its exit code, or 2 if an option is wrong. */
export async function runWithNumbers<Name extends string>(
  { commandLine, helpText, numbers, canPublish = false }: Command<Name>,
  run: (values: Record<Name, number>, publish: boolean) => Promise<number | undefined>,
): Promise<number> {
  const bounds = Object.entries<Bounds>(numbers);
  const texts = bounds.map(([name, { default: value }]) => [name, { type: "string", default: `${value}` }] as const);
  const flag = { type: "boolean", default: false } as const;
  const options = { ...Object.fromEntries(texts), ...(canPublish && { publish: flag }), help: flag };
  const { values } = parseArgs({ args: commandLine, options });
  const chosen = bounds.map(([name]) => [name, Number(values[name as keyof typeof values])] as const);
  const isWrong = bounds.some(([, { min, max }], index) => {
    const value = chosen[index]?.[1];
    return value === undefined || !Number.isInteger(value) || value < min || value > max;
  });
  if (values.help || isWrong) {
    (values.help ? console.log : console.error)(helpText);
    return values.help ? 0 : 2;
  }
  const isPublished = (values as { publish?: boolean }).publish === true;
  return (await run(Object.fromEntries(chosen) as Record<Name, number>, isPublished)) ?? 0;
}

/** Writes the results of a benchmark to `.tapedeck/bench/<name>.json`, with the date and the machine. Returns the path. */
export async function writeResults(name: string, results: object): Promise<string> {
  const file = join(root, ".tapedeck", "bench", `${name}.json`);
  await mkdir(join(file, ".."), { recursive: true });
  const machine = { cpu: cpus()[0]?.model, coreCount: cpus().length, node: process.versions.node };
  await writeFile(file, `${JSON.stringify({ at: new Date().toISOString(), machine, ...results }, null, 2)}\n`);
  console.log(`\nWritten: ${relative(root, file)}`);
  return file;
}
