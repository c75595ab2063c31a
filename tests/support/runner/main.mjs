import path from "node:path";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";
import { prepare } from "../../../lib/cli/bootstrap/prepare.mjs";
import { endLeftoverChildren, stopRequest } from "../../../lib/cli/bootstrap/processes.mjs";
import { selectTests } from "./select-tests.mjs";
import { programOf, runInTerminal, runPrograms, runTests } from "./steps.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const interruptedExitCode = 130;
const nameWidth = 8;

const tapedeck = path.join(packageRoot, "lib/cli/tapedeck.mjs");
const buildStep = { name: "build", run: (options) => runPrograms([[tapedeck, "build", "--if-changed"]], options) };
/**
 * After the build, which writes the types of routes and pages. More threads would take longer: each checks shared types.
 * Collecting less garbage takes a sixth less CPU time.
 */
const typesStep = {
  name: "types",
  run: (options) =>
    runPrograms([[programOf("typescript", "tsc"), "-p", ".", "--noEmit", "--singleThreaded"]], {
      ...options,
      variables: { GOGC: "1000" },
    }),
};
const lintStep = {
  name: "lint",
  run: (options) => runPrograms([[programOf("@biomejs/biome", "biome"), "ci", "--colors=off", "."]], options),
};

/** After a build, threads of the tests run its bundles. */
const afterBuild = { TAPEDECK_BUNDLED_WORKERS: "1" };

/** Returns a step that runs vitest projects or files in this many workers. Tests that mostly wait allow more workers. */
function testStep(name, args, workerCount, variables = afterBuild) {
  return { name, run: (options) => runTests([...args, `--maxWorkers=${workerCount}`], { ...options, variables }) };
}

/**
 * Returns stages that run one after another, each with lanes of steps that run in parallel. The build has the processors
 * almost to itself: unit tests beside it would slow it down, and the tests of the app, which often wait, would later
 * leave processors idle. What takes long runs last, one file after another.
 */
function planStages(selection, { isExtended }) {
  if (selection) {
    const tests = testStep("tests", selection.args, 2, selection.needsApp ? afterBuild : {});
    return selection.needsApp ? [[[buildStep]], [[tests]]] : [[[tests]]];
  }
  const stages = [
    [[buildStep], [lintStep]],
    [[typesStep, testStep("app", ["--project", "app"], 2)], [testStep("others", ["--project", "standalone*"], 2)]],
  ];
  return isExtended ? [...stages, [[testStep("extended", ["--project", "extended"], 1)]]] : stages;
}

const seconds = (startedMs) => `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;

async function runStep({ name, run }, options) {
  const startedMs = performance.now();
  console.log(`${name.padEnd(nameWidth)} started`);
  const result = await run(options).catch((error) => {
    if (options.signal.aborted) throw error;
    return { isPassed: false, output: error.stack };
  });
  const { isPassed, output, passed, failures = isPassed ? [] : [{ name, message: output }] } = result;
  const counts = passed === undefined ? "" : ` (${passed} passed, ${failures.length} failed)`;
  const row = {
    name,
    result: `${isPassed ? "passed" : "failed"}${counts}`,
    time: seconds(startedMs),
    passed,
    failures,
  };
  console.log(`${name.padEnd(nameWidth)} ${row.result}  ${row.time}`);
  return { ...row, isPassed };
}

async function runLane(steps, options) {
  const rows = [];
  for (const step of steps) rows.push(await runStep(step, options));
  return rows;
}

/** Runs the stages until a build fails, because the tests of its app would fail too. */
async function runStages(stages, options) {
  const rows = [];
  for (const lanes of stages) {
    rows.push(...(await Promise.all(lanes.map((steps) => runLane(steps, options)))).flat());
    if (rows.some(({ name, isPassed }) => name === buildStep.name && !isPassed)) break;
  }
  return rows;
}

function summarise(rows) {
  for (const { name, message } of rows.flatMap((row) => row.failures)) console.log(`\nFAILED ${name}\n${message}`);
  const resultWidth = Math.max(...rows.map(({ result }) => result.length));
  console.log("");
  for (const { name, result, time } of rows) {
    console.log(`${name.padEnd(nameWidth)} ${result.padEnd(resultWidth)}  ${time.padStart(8)}`);
  }
  const passed = rows.reduce((sum, row) => sum + (row.passed ?? 0), 0);
  const failed = rows.reduce((sum, row) => sum + row.failures.length, 0);
  return { passed, failed };
}

/** Runs tests again when they or what they import change. The app is not built again, so its tests are left out. */
async function watch(selection, options) {
  if (selection?.needsApp)
    throw new Error("--watch only runs tests that do not need the built app: those in tests/unit.");
  const exitCode = await runInTerminal(
    [programOf("vitest"), "watch", ...(selection?.args ?? ["--project", "standalone*", "tests/unit"])],
    options,
  );
  process.exit(exitCode);
}

export async function main(args) {
  const startedMs = performance.now();
  const { signal } = stopRequest();
  const isExtended = args.includes("--extended");
  const options = { signal, isExtended };
  try {
    await prepare({ signal, withDevelopment: true });
    await endLeftoverChildren();
    const selection = selectTests(args.filter((arg) => !arg.startsWith("--")));
    if (args.includes("--watch")) return await watch(selection, options);
    if (!selection || selection.needsApp) await installSystemPackages(options);
    const { passed, failed } = summarise(await runStages(planStages(selection, options), options));
    console.log(`\n${passed} passed, ${failed} failed  ${seconds(startedMs)}`);
    if (selection) console.log("Only npm test checks types and style too.");
    if (passed + failed === 0) console.error(`No test matches ${args.join(" ")}.`);
    process.exit(failed > 0 || passed === 0 ? 1 : 0);
  } catch (error) {
    if (signal.aborted) process.exit(interruptedExitCode);
    console.error(error.message);
    process.exit(1);
  }
}
