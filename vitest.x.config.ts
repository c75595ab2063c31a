import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { generateClient } from "./lib/cli/bootstrap/prepare.mjs";
import { sourceTests } from "./tests/support/runner/select-tests.mjs";

// For `npx vitest` and editors; `npm test` has done it.
await generateClient();

/** Maximum time for one test and for a hook, in milliseconds. Generous, because a busy machine is slow without being wrong. */
const testTimeout = 300_000;
const hookTimeout = 300_000;

/** Maximum time for `expect.poll`, in milliseconds. */
const pollTimeout = 120_000;

/** `npm test -- --extended` */
const isExtended = process.env.TAPEDECK_TESTS === "extended";

/**
 * Tests that set variables of the environment, or mock or load modules again. They need modules of their own; the others share
 * theirs, and restore globals and timers that they replace.
 */
function findIsolatedTests(folder: string): string[] {
  return readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.startsWith("fuzz"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) =>
      /\bvi\.(mock|stubEnv|resetModules)|process\.env\.\w+ = /.test(
        readFileSync(join(import.meta.dirname, name), "utf8"),
      ),
    );
}

/** Tests that start what they need by themselves. The files of both folders share workers, and so the modules of lib. */
const standalone = ["tests/unit", "tests/faults"];
const isolatedTests = standalone.flatMap(findIsolatedTests);

/** The files that take longest. They start first in their project, so that none of them runs alone at the end. */
const longest = [
  "e2e/pages",
  "faults/worker",
  "api/discovery/links",
  "contract/docs-code",
  "e2e/conformance",
  "faults/testing-package",
  "e2e/key",
  "unit/tracking/ingestion/track-vendors",
  "faults/launcher",
  "unit/jobs/queue/fetch-queue",
  "faults/run-command",
  "faults/webhooks-kill",
  "faults/node-server",
  "e2e/vendors",
  "faults/python-package",
];

/** Runs one project after another: a worker is kept for the next file only if it belongs to the same project. */
const projectOrder = ["standalone-isolated", "standalone", "app", "extended"];

class ProjectThenLongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project: { name } }: TestSpecification) => {
      const index = longest.findIndex((file) => moduleId.includes(`tests/${file}.test`));
      return projectOrder.indexOf(name) * (longest.length + 1) + (index < 0 ? longest.length : index);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * The first makes fewer collections of the young generation, which saves about 4 % of the CPU time. With the second, Node.js 20
 * compiles less of what runs only briefly, which saves about 10 %; later versions do not have it.
 */
const execArgv = [
  "--max-semi-space-size=64",
  ...(process.version.startsWith("v20.") ? ["--interrupt-budget=500000"] : []),
];

type Selection = { include: string[]; exclude?: string[]; isolate?: boolean; globalSetup?: string[] };

function project(name: string, selection: Selection) {
  return { extends: true as const, test: { name, ...selection, testTimeout, hookTimeout } };
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    env: {
      // Vite sets BASE_URL to "/", which the app would use as its own variable. An empty value counts as unset.
      BASE_URL: "",
      // A busy machine answers late. Tests of stores that do not answer set their own timeouts.
      DATABASE_TIMEOUT_MS: "60000",
      LIMIT_STORE_TIMEOUT_MS: "60000",
      // Vercel's package asks a store that is down for a minute.
      VERCEL_BLOB_RETRIES: "0",
    },
    experimental: { fsModuleCache: true },
    expect: { poll: { timeout: pollTimeout } },
    execArgv,
    globalSetup: ["tests/support/hold-database.ts"],
    sequence: { sequencer: ProjectThenLongestFirst },
    // Concurrent tests of one file: no more pages or servers at a time than a build machine has processors.
    maxConcurrency: 2,
    projects: [
      // Without `isolate`, the files of a worker share their modules: loading them again would take longer than the tests.
      project("standalone", {
        include: ["tests/unit/**/*.test.ts", "tests/faults/*.test.ts", ...sourceTests],
        exclude: isolatedTests,
        isolate: false,
      }),
      project("standalone-isolated", { include: isolatedTests }),
      project("app", {
        include: [`tests/{contract,api,e2e,faults/fuzz${isExtended ? ",extended/app" : ""}}/**/*.test.ts`],
        exclude: sourceTests,
        isolate: false,
        globalSetup: ["tests/support/start-app.ts"],
      }),
      ...(isExtended
        ? [project("extended", { include: ["tests/extended/**/*.test.ts"], exclude: ["tests/extended/app/**"] })]
        : []),
    ],
  },
});
