import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";

const suite = resolve(import.meta.dirname, "../../../node_modules/@modelcontextprotocol/conformance");
const hooks = pathToFileURL(join(import.meta.dirname, "register-hooks.mjs")).href;

export type Revision = "2025-11-25" | "2026-07-28";

/** Timeout of a run of the suite, in milliseconds. */
const suiteTimeoutMs = 240_000;

/** A scenario whose checks passed. Checks of what a server only should do may be skipped, but not all of a scenario. */
const allPassed = /Passed: ([1-9]\d*)\/\1, 0 failed/;

/** Scenarios that need no tools of the suite's own. */
export const someScenarios = ["tools-list", "resources-list"];

/** How often a scenario that failed unexpectedly runs again. */
const triesAlone = 3;

/** Returns the scenarios that a protocol revision requires of servers. */
async function requiredScenarios(revision: Revision): Promise<string[]> {
  const requirements = parse(await readFile(join(suite, "requirements", `${revision}.yaml`), "utf8"));
  return (requirements as { server: string[] }).server;
}

async function run(args: readonly string[]): Promise<{ isPassed: boolean; output: string }> {
  const { globSync: hasGlob } = (await import("node:fs")) as unknown as { globSync?: unknown };
  const preload = hasGlob ? [] : ["--import", hooks];
  return new Promise((settle) => {
    execFile(
      process.execPath,
      [...preload, join(suite, "dist/index.js"), "server", ...args],
      { maxBuffer: 64 * 1024 * 1024, timeout: suiteTimeoutMs },
      (error, stdout, stderr) => settle({ isPassed: error === null, output: `${stdout}\n${stderr}` }),
    );
  });
}

/** Runs some scenarios, one after another. Returns those that failed, and the suite's output. */
export async function runSomeScenarios(
  url: string,
  revision: Revision,
  scenarios: readonly string[],
): Promise<{ failed: string[]; output: string }> {
  const failed: string[] = [];
  const outputs: string[] = [];
  for (const name of scenarios) {
    const { isPassed, output } = await run(["--url", url, "--scenario", name, "--spec-version", revision]);
    if (!isPassed || !allPassed.test(output)) failed.push(name);
    outputs.push(output);
  }
  return { failed, output: outputs.join("\n") };
}

/**
 * Runs the MCP conformance suite against a server. Returns the required scenarios that failed, and the suite's output.
 * A scenario that fails unexpectedly runs alone, up to three times: the suite waits two or three seconds for some
 * notifications, which is too short beside other work.
 */
export async function runSuite(
  url: string,
  revision: Revision,
  expectedFailures: readonly string[] = [],
): Promise<{ failed: string[]; output: string }> {
  const first = await run(["--url", url, "--requirements", revision]);
  const summary = first.output.slice(first.output.indexOf("=== SUMMARY ==="));
  const passed = new Set([...summary.matchAll(/^✓ (\S+):/gm)].map(([, name]) => name));
  const failed: string[] = [];
  const outputs = [first.output];
  for (const name of await requiredScenarios(revision)) {
    if (passed.has(name)) continue;
    for (let tries = expectedFailures.includes(name) ? 0 : triesAlone; tries > 0; tries--) {
      const alone = await run(["--url", url, "--scenario", name, "--spec-version", revision]);
      if (alone.isPassed && allPassed.test(alone.output)) {
        passed.add(name);
        break;
      }
      outputs.unshift(alone.output);
    }
    if (!passed.has(name)) failed.push(name);
  }
  return { failed: failed.sort(), output: [failed.join(", "), ...outputs].join("\n") };
}
