/** `npm run bench -- [<name>…] [options]`: runs benchmarks, and prints which goals are missed. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, type Goal, markdown, type Option, type Outcome, type Table } from "./harness";
import { killAllNow, root, stopAll } from "./processes";

const loaders: Record<string, () => Promise<{ bench: Bench }>> = {
  replay: () => import("./replay/bench"),
  unpaced: () => import("./unpaced"),
  workers: () => import("./replay/workers"),
  match: () => import("./match"),
  catalogue: () => import("./replay/catalogue"),
  recording: () => import("./recording/bench"),
  mcp: () => import("./mcp"),
  feed: () => import("./feed/bench"),
  database: () => import("./database"),
  ingest: () => import("./ingest"),
  webhooks: () => import("./webhooks/bench"),
  scale: () => import("./scale/bench"),
  diff: () => import("./diff/bench"),
  search: () => import("./search/bench"),
  security: () => import("./security"),
  site: () => import("./site"),
  soak: () => import("./soak/bench"),
};
const names = Object.keys(loaders);
const usage = `Usage: npm run bench -- [${names.join("|")}]… [options]

Without a name, all of them, which takes over an hour; the machine should do nothing else. Results go to .tapedeck/bench.
Exits with 1 if a goal is missed.

  --quick    sizes that only show that a benchmark works
  --publish  write the tables and the chart into the documentation, of a benchmark that has a page of its own
  --help     this text, or a benchmark's options after its name`;

class UsageError extends Error {}
class InterruptedError extends Error {}

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => reject(new InterruptedError(signal)));
});
interrupted.catch(() => undefined);

function helpOf(name: string, { about, options }: Bench): string {
  const lines = Object.entries(options).map(([option, each]) => {
    const bounds = "min" in each ? `, ${each.min.toLocaleString("en")} to ${each.max.toLocaleString("en")}` : "";
    const fallback = each.default === "" || each.default === false ? "" : ` (default: ${each.default})`;
    return `  --${option.padEnd(12)} ${each.about}${bounds}${fallback}`;
  });
  return `npm run bench -- ${name} [options]\n\n${about}\n\n${lines.join("\n")}`;
}

function readValue(name: string, option: Option, given: string | boolean | undefined, isQuick: boolean) {
  if (!("min" in option)) return given ?? option.default;
  if (given === undefined) return (isQuick ? option.quick : undefined) ?? option.default;
  const values = String(given).split(",").map(Number);
  const isRight = values.every((value) => Number.isInteger(value) && value >= option.min && value <= option.max);
  const isList = Array.isArray(option.default);
  if (!isRight || (!isList && values.length > 1)) throw new UsageError(`--${name}: ${option.min} to ${option.max}`);
  return isList ? values : values[0]!;
}

type Common = { quick: boolean; publish: boolean; help: boolean };

function parse(commandLine: string[], benches: [string, Bench][]) {
  const flag = { type: "boolean" } as const;
  const own = benches.flatMap(([, { options }]) => Object.entries(options));
  const types = own.map(([name, each]) => [
    name,
    { type: typeof each.default === "boolean" ? "boolean" : "string" } as const,
  ]);
  const options = { ...Object.fromEntries(types), quick: flag, publish: flag, help: flag };
  try {
    const { values, positionals } = parseArgs({ args: commandLine, options, allowPositionals: true });
    const unknown = positionals.filter((word) => !names.includes(word));
    if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(", ")}.`);
    return values as Record<string, string | boolean | undefined> & Partial<Common>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const machine = () => `${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}, ${process.platform})`;

/** Replaces the first table after each heading of the page, and the paragraph that starts with "Measured on". */
async function publish(name: string, page: string, tables: readonly Table[], { notes = [], chart }: Outcome) {
  const file = join(root, "content/docs", `${page}.md`);
  let text = await readFile(file, "utf8");
  for (const table of tables.filter(({ under }) => under !== undefined)) {
    const start = text.indexOf(`\n## ${table.under}\n`);
    const end = text.indexOf("\n## ", start + 1);
    const own = text.slice(start, end < 0 ? undefined : end);
    const published = own.replace(/^\|(?:.*\|\n)+/m, () => `${markdown(table)}\n`);
    if (start < 0 || published === own) console.log(`${page}.md has no table to replace under "${table.under}"`);
    else text = text.slice(0, start) + published + text.slice(start + own.length);
  }
  const measured = [
    `Measured on ${new Date().toISOString().slice(0, 10)} on ${machine()}, Node ${process.versions.node}.`,
    ...notes,
  ];
  text = text.replace(/^Measured on (?:.+\n)+/m, () => `${measured.join(" ")}\n`);
  await writeFile(file, text);
  if (chart !== undefined) await writeFile(join(root, "public/bench", `${name}.svg`), chart);
}

async function runOne(name: string, bench: Bench, given: ReturnType<typeof parse>): Promise<Goal[]> {
  const isQuick = given.quick === true;
  const values = Object.fromEntries(
    Object.entries(bench.options).map(([option, each]) => [option, readValue(option, each, given[option], isQuick)]),
  );
  const ends: (() => unknown)[] = [];
  const startMs = performance.now();
  const say = (line: string) =>
    console.log(`${name}, ${((performance.now() - startMs) / 1_000).toFixed(0)} s: ${line}`);
  say("started");
  try {
    const makeFolder = async () => {
      const folder = await mkdtemp(join(tmpdir(), `tapedeck-bench-${name}-`));
      ends.push(() => rm(folder, { recursive: true, force: true }));
      return folder;
    };
    const running = bench.run(values, { say, cleanUp: (end) => ends.push(end), makeFolder, isQuick });
    const outcome = await Promise.race([running, interrupted]);
    const { tables, goals = [], results, chart, notes = [] } = outcome;
    for (const table of tables) console.log(`\n${table.under ? `${table.under}\n\n` : ""}${markdown(table)}`);
    for (const note of notes) console.log(`\n${note}`);
    const base = join(root, ".tapedeck/bench", name);
    await mkdir(join(base, ".."), { recursive: true });
    const facts = { at: new Date().toISOString(), machine: machine(), node: process.versions.node, options: values };
    await writeFile(`${base}.json`, `${JSON.stringify({ ...facts, goals, ...results }, null, 2)}\n`);
    if (chart !== undefined) await writeFile(`${base}.svg`, chart);
    const { page } = bench;
    const goalTables = page?.goals ? [{ under: page.goals, ...goalTable(goals) }] : [];
    if (given.publish && page) await publish(name, page.name, [...goalTables, ...tables], outcome);
    console.log();
    say(`done, written to ${relative(root, base)}.json`);
    return goals;
  } finally {
    for (const end of ends.reverse()) await end();
    await stopAll();
  }
}

function goalTable(goals: readonly (Goal & { name?: string })[]): Table {
  const rows = goals.map(({ name, goal, measured, isMet }) => [
    ...(name === undefined ? [] : [name]),
    ...[goal, measured, isMet ? "yes" : "**no**"],
  ]);
  return { head: [...(goals[0]?.name === undefined ? [] : ["Benchmark"]), "Target", "Measured", "Met"], rows };
}

async function main(commandLine: string[]): Promise<number> {
  // The names are needed before the options can be parsed, because each benchmark has its own.
  const isValue = (index: number) => /^--(?!quick$|publish$|help$|show$)[^=]+$/.test(commandLine[index - 1] ?? "");
  const asked = commandLine.filter((word, index) => names.includes(word) && !isValue(index));
  if (commandLine.includes("--help") && asked.length === 0) {
    console.log(usage);
    return 0;
  }
  const benches: [string, Bench][] = [];
  for (const name of asked.length === 0 ? names : asked) benches.push([name, (await loaders[name]!()).bench]);
  const given = parse(commandLine, benches);
  if (given.help) {
    for (const [name, bench] of benches) console.log(`${helpOf(name, bench)}\n`);
    return 0;
  }
  const goals: (Goal & { name: string })[] = [];
  for (const [name, bench] of benches) {
    try {
      goals.push(...(await runOne(name, bench, given)).map((goal) => ({ name, ...goal })));
    } catch (error) {
      if (error instanceof UsageError || error instanceof InterruptedError) throw error;
      console.error(error);
      goals.push({
        name,
        goal: "it runs to its end",
        measured: (error as Error).message.split("\n")[0]!,
        isMet: false,
      });
    }
  }
  if (goals.length > 0) console.log(`\n${markdown(goalTable(goals))}`);
  const missedCount = goals.filter(({ isMet }) => !isMet).length;
  console.log(`\n${missedCount} of ${goals.length} goals missed`);
  return missedCount === 0 ? 0 : 1;
}

process.once("exit", killAllNow);
try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (error instanceof InterruptedError) process.exit(130);
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n\n${usage}` : error);
  process.exit(isUsage ? 2 : 1);
}
