import path from "node:path";
import { endLeftoverChildren } from "../../../lib/cli/bootstrap/children.mjs";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";
import { prepare } from "../../../lib/cli/bootstrap/prepare.mjs";
import { stopRequest } from "../../../lib/cli/bootstrap/stop-request.mjs";
import { selectTests } from "./select-tests.mjs";
import { programOf, runPrograms, runTests } from "./steps.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const projects = ["unit", "contract", "api", "faults", "e2e"];
const interruptedExitCode = 130;
const nameWidth = 10;

/** Steps in their order; each tells whether it passed, what it wrote, and its tests where it has any. */
function planSteps(selection) {
  const tapedeck = path.join(packageRoot, "lib/cli/tapedeck.mjs");
  const build = { name: "build", run: (options) => runPrograms([[tapedeck, "build", "--if-changed"]], options) };
  if (selection) {
    const tests = { name: "tests", run: (options) => runTests("part", selection.words, options) };
    return selection.needsApp ? [build, tests] : [tests];
  }
  const next = () => programOf("next");
  return [
    // Next writes the types of routes and pages, which the sources refer to.
    {
      name: "types",
      run: (options) =>
        runPrograms(
          [
            [next(), "typegen"],
            [programOf("typescript", "tsc"), "-p", ".", "--noEmit"],
          ],
          options,
        ),
    },
    {
      name: "lint",
      run: (options) =>
        runPrograms(
          [[programOf("@biomejs/biome", "biome"), "ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]],
          options,
        ),
    },
    build,
    ...projects.map((name) => ({ name, run: (options) => runTests(name, ["--project", `${name}*`], options) })),
  ];
}

function seconds(startedMs) {
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}

function describe({ isPassed, passed, failed }) {
  if (passed === undefined) return isPassed ? "passed" : "failed";
  return `${isPassed ? "passed" : "failed"} (${passed} passed, ${failed} failed)`;
}

async function runStep(step, options) {
  const startedMs = performance.now();
  process.stdout.write(`${step.name.padEnd(nameWidth)} `);
  const result = await step.run(options).catch((error) => {
    if (options.signal.aborted) throw error;
    return { isPassed: false, output: error.stack };
  });
  const row = { name: step.name, result: describe(result), time: seconds(startedMs), ...result };
  console.log(`${row.result}  ${row.time}`);
  if (!result.isPassed) console.log(`${result.output}\n`);
  return row;
}

function summarise(rows) {
  const resultWidth = Math.max(...rows.map(({ result }) => result.length));
  console.log("");
  for (const { name, result, time } of rows) {
    console.log(`${name.padEnd(nameWidth)} ${result.padEnd(resultWidth)}  ${time.padStart(8)}`);
  }
  const passed = rows.reduce((sum, row) => sum + (row.passed ?? 0), 0);
  // A step without tests of its own counts as one where it fails.
  const failed = rows.reduce((sum, row) => sum + (row.failed ?? (row.isPassed ? 0 : 1)), 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  return { passed, failed };
}

export async function main(words) {
  const { signal } = stopRequest();
  const options = { signal };
  try {
    await prepare(options);
    await endLeftoverChildren();
    const selection = selectTests(words);
    if (!selection || selection.needsApp) await installSystemPackages(options);
    const rows = [];
    for (const step of planSteps(selection)) rows.push(await runStep(step, options));
    const { passed, failed } = summarise(rows);
    if (passed + failed === 0) console.error(`No test matches ${words.join(" ")}.`);
    process.exit(failed > 0 || passed === 0 ? 1 : 0);
  } catch (error) {
    if (signal.aborted) process.exit(interruptedExitCode);
    console.error(error.message);
    process.exit(1);
  }
}
