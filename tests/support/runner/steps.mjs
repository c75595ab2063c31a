import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { dataFolder, packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";
import { runCollected } from "../../../lib/cli/bootstrap/run-collected.mjs";

const stepTimeoutMs = 20 * 60_000;
const resultsFolder = path.join(dataFolder, "test-results");
const require = createRequire(import.meta.url);

/** The settings of whoever runs the tests must not reach them: a DATABASE_URL of production above all. */
const settings = /^(PORT|HOST|BASE_URL|SITE|SITE_URLS|TRUST_PROXY|DATABASE_URL|LOG_LEVEL|NODE_ENV|VERCEL|VERCEL_ENV)$/;
const settingFamilies =
  /^(CASSETTE_|BLOB_|ANTHROPIC_|UPSTASH_|OUTBOUND_|TAPEDECK_BUILD_|CRON|ENCRYPTION_|ANALYSIS_|STRIPE_|SECURITY_|MCP_)/;
const colours = /^(NO_COLOR|FORCE_COLOR)$/;

function environment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !settings.test(name) && !settingFamilies.test(name) && !colours.test(name),
  );
  return { ...Object.fromEntries(kept), ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }) };
}

/** The program that a package brings, for Node to run. */
export function programOf(packageName, name = packageName) {
  const file = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(file, "utf8"));
  return path.join(path.dirname(file), typeof bin === "string" ? bin : bin[name]);
}

/** Runs programs one after the other until one fails. Tells whether all were well, and what they wrote. */
export async function runPrograms(commands, { signal }) {
  const outputs = [];
  for (const words of commands) {
    const options = { env: environment(), signal, timeoutMs: stepTimeoutMs, folder: packageRoot };
    const { exitCode, ending, output } = await runCollected(process.execPath, words, options);
    outputs.push(output);
    if (exitCode !== 0) return { isPassed: false, output: `${outputs.join("\n")}\n(${ending})` };
  }
  return { isPassed: true, output: outputs.join("\n") };
}

/** Runs tests and counts them one by one, by vitest's own report. */
export async function runTests(name, words, { signal }) {
  mkdirSync(resultsFolder, { recursive: true });
  const digest = createHash("sha256").update(words.join("\0")).digest("hex").slice(0, 8);
  const report = path.join(resultsFolder, `${name}-${digest}.json`);
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { isPassed, output } = await runPrograms([[programOf("vitest"), "run", ...reporters, ...words]], { signal });
  const { passed, failed } = count(report);
  // A run can fail around its tests too: a global set-up, an unhandled rejection.
  return { isPassed, output, passed, failed: isPassed ? failed : Math.max(failed, 1) };
}

function count(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { passed: 0, failed: 0 };
  }
  const isBroken = ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((each) => each.status === "failed");
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.testResults.filter(isBroken).length,
  };
}
