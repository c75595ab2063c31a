import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { dataFolder, packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";
import { runCollected } from "../../../lib/cli/bootstrap/processes.mjs";

const stepTimeoutMs = 40 * 60_000;
const resultsFolder = path.join(dataFolder, "test-results");
const reporter = path.join(packageRoot, "tests/support/runner/reporter.mjs");
const require = createRequire(import.meta.url);

/** Variables of the developer's shell that must not reach the tests, above all a production DATABASE_URL. */
const settings = /^(PORT|HOST|BASE_URL|SITE|SITE_URLS|TRUST_PROXY|DATABASE_URL|LOG_LEVEL|NODE_ENV|VERCEL|VERCEL_ENV)$/;
const settingFamilies =
  /^(CASSETTE_|BLOB_|ANTHROPIC_|UPSTASH_|OUTBOUND_|TAPEDECK_BUILD_|CRON|ENCRYPTION_|ANALYSIS_|STRIPE_|SECURITY_|MCP_|LIMIT_|DATABASE_)/;
const colours = /^(NO_COLOR|FORCE_COLOR)$/;

function environment(isExtended) {
  const allowed = Object.entries(process.env).filter(
    ([name]) => !settings.test(name) && !settingFamilies.test(name) && !colours.test(name),
  );
  return { ...Object.fromEntries(allowed), NO_COLOR: "1", ...(isExtended && { TAPEDECK_TESTS: "extended" }) };
}

/** Returns the path of a package's program, for Node to run. */
export function programOf(packageName, name = packageName) {
  const file = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(file, "utf8"));
  return path.join(path.dirname(file), typeof bin === "string" ? bin : bin[name]);
}

/** Runs a Node.js program with this process's terminal, and returns its exit code. */
export async function runInTerminal(args, { isExtended, signal }) {
  const options = { env: environment(isExtended), cwd: packageRoot, stdio: "inherit" };
  const child = spawn(process.execPath, args, options);
  signal.addEventListener("abort", () => child.kill());
  const [exitCode] = await once(child, "exit");
  return exitCode ?? 1;
}

/** Runs programs one after another until one fails, with added environment variables. */
export async function runPrograms(commands, { signal, isExtended, onOutput, variables = {} }) {
  const outputs = [];
  for (const args of commands) {
    const env = { ...environment(isExtended), ...variables };
    const options = { env, signal, timeoutMs: stepTimeoutMs, folder: packageRoot, onOutput };
    const { exitCode, ending, output } = await runCollected(process.execPath, args, options);
    outputs.push(output);
    if (exitCode !== 0) return { isPassed: false, output: `${outputs.join("\n")}\n(${ending})` };
  }
  return { isPassed: true, output: outputs.join("\n") };
}

/** Runs tests, printing a line per file, and reads vitest's report. */
export async function runTests(args, options) {
  mkdirSync(resultsFolder, { recursive: true });
  const digest = createHash("sha256").update(args.join("\0")).digest("hex").slice(0, 8);
  const report = path.join(resultsFolder, `${digest}.json`);
  rmSync(report, { force: true });
  const reporters = [`--reporter=${reporter}`, "--reporter=json", `--outputFile.json=${report}`];
  const onOutput = (text) => process.stdout.write(text);
  const { isPassed, output } = await runPrograms([[programOf("vitest"), "run", ...reporters, ...args]], {
    ...options,
    onOutput,
  });
  const { passed, failures } = readReport(report);
  // A run can also fail outside of its tests: in a setup, or with an unhandled rejection. Its output says why.
  if (!isPassed && failures.length === 0) failures.push({ name: "vitest", message: output.slice(-4_000) });
  return { isPassed: isPassed && failures.length === 0, output: "", passed, failures };
}

function readReport(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { passed: 0, failures: [] };
  }
  const failures = results.testResults.flatMap(({ name: file, message, status, assertionResults }) => {
    const place = path.relative(packageRoot, file).replaceAll("\\", "/");
    const failed = assertionResults.filter((each) => each.status === "failed");
    if (failed.length === 0) return status === "failed" ? [{ name: place, message }] : [];
    return failed.map((each) => ({ name: `${place} > ${each.fullName}`, message: each.failureMessages.join("\n") }));
  });
  return { passed: results.numPassedTests, failures };
}
