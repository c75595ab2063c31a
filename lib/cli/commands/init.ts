import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { version } from "#lib/platform/version";
import { configFileName, findConfig } from "#lib/replay/recording-proxy/index";
import { addScript } from "../init/add-script";
import { exampleOf } from "../init/example";
import { findProject, type Manager } from "../init/find-project";
import type { CommandIo } from "../io";

/** Git puts no lines of two sides together in files of tapes, which would fit neither. */
const gitAttributes = ["*.cassette.json -merge", "tape.json -merge"];

/** Adds what of these lines a file lacks, and returns whether it has all. */
function addLines(path: string, lines: readonly string[], isDryRun: boolean): boolean {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const known = text.split(/\r?\n/);
  const missing = lines.filter((line) => !known.includes(line));
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  if (missing.length > 0 && !isDryRun) appendFileSync(path, `${start}${missing.join("\n")}\n`);
  return missing.length === 0;
}

const scriptName = "test:replay";
const installCommands: Record<Manager, string> = {
  npm: "npm install -D",
  pnpm: "pnpm add -D",
  yarn: "yarn add -D",
  bun: "bun add -d",
};

function init({ dryRun = false }: { dryRun?: boolean }, { stdout }: CommandIo): void {
  const folder = process.cwd();
  const project = findProject(folder);
  const { manifest, runner, allSdks, command, manager, packages, hasPackage } = project;
  const names = allSdks.map(({ name }) => name).join(", ");
  const lines = [`Found ${runner ?? command} with ${names || "no SDK that is known"}.`];
  const tell = (isThere: boolean, what: string) =>
    lines.push(isThere ? `unchanged   ${what}` : `${dryRun ? "would add " : "added     "}  ${what}`);
  const add = (file: string, text: string) => {
    const isThere = existsSync(join(folder, file));
    if (!isThere && !dryRun) writeFileSync(join(folder, file), text, { flag: "wx" });
    tell(isThere, file);
  };
  const hasScript = manifest !== undefined && runner !== "pytest" && runner !== "deno test";
  if (hasScript) {
    const changed = addScript(manifest, scriptName, `tapedeck run -- ${command}`);
    if (changed !== undefined && !dryRun) writeFileSync(join(folder, "package.json"), changed);
    tell(changed === undefined, `script ${scriptName} in package.json`);
  }
  const config = findConfig(folder);
  if (config !== null) tell(true, relative(folder, config));
  else add(configFileName, `${JSON.stringify({ tapes: "tapes" }, null, 2)}\n`);
  const attributes = ".gitattributes";
  tell(addLines(join(folder, attributes), gitAttributes, dryRun), `-merge for tapes in ${attributes}`);
  const example = exampleOf(project);
  if (example) add(example.file, example.text);
  const next = hasScript ? `${manager} run ${scriptName}` : `npx @tapedeck/testing run -- ${command}`;
  const keys = [...new Set(allSdks.map(({ key }) => key))];
  const [install, script] =
    runner === "pytest"
      ? [`pip install vendor/tapedeck_testing-${version}-py3-none-any.whl`, "package:python"]
      : [`${installCommands[manager]} ./vendor/tapedeck-testing-${version}.tgz`, "package"];
  lines.push(
    "Next:",
    ...(hasPackage || runner === "deno test"
      ? []
      : [`  ${install}   # build it first, in a clone of Tapedeck: npm run ${script}`]),
    `  ${next}   # records, with ${keys.join(" and ") || "your provider's key"}`,
    ...(keys.length > 0 ? [`  unset ${keys.join(" ")}`] : []),
    `  ${next}   # replays, without key and network`,
  );
  if (packages.length > 0)
    lines.push(`Packages with tests of their own get theirs where init is run: ${packages.join(", ")}`);
  stdout.write(`${lines.join("\n")}\n`);
}

const help = `
Finds the test runner and the SDKs of this folder in package.json, pyproject.toml and requirements.txt, and else the runner by
its files, such as vitest.config.ts, deno.json or conftest.py. Nothing is overwritten, and a second time nothing changes.`;

export function addInitCommand(program: Command, io: CommandIo): void {
  program
    .command("init")
    .description("set a project up: a script, the configuration, attributes for Git, and an example test")
    .option("--dry-run", "only say what would be added")
    .addHelpText("after", help)
    .action((flags: { dryRun?: boolean }) => init(flags, io));
}
