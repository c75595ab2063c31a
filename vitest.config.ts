import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Longest time for one test and for starting what a project needs, in milliseconds. */
const testTimeout = 30_000;
const hookTimeout = 120_000;

/** Longest wait for what a test polls for, in milliseconds: a busy machine answers late, and that is no fault. */
const pollTimeout = 15_000;

const unitFolder = join(import.meta.dirname, "tests/unit");

/** Unit tests that change the environment or what modules are: each needs modules of its own. The others share theirs. */
function findLoners(): string[] {
  return readdirSync(unitFolder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) =>
      /\bvi\.(mock|stub|spyOn|useFake|reset)|process\.env/.test(readFileSync(join(unitFolder, name), "utf8")),
    )
    .map((name) => `tests/unit/${name.replaceAll("\\", "/")}`);
}

const loners = findLoners();

/** Loading the modules anew for each file would take longer than the tests. */
function unitProject(name: string, selection: { include: string[]; exclude?: string[] }, isolate: boolean) {
  return { extends: true as const, test: { name, ...selection, isolate, testTimeout, hookTimeout } };
}

/** Faults whose meaning is lost where the machine is busy: a Redis that answers late limits nobody, by design. */
const undisturbed = ["tests/faults/limits.test.ts", "tests/faults/clients.test.ts"];

type ProjectOptions = { needsApp?: boolean; include?: string[]; exclude?: string[]; isAlone?: boolean };

function project(name: string, { needsApp = false, isAlone = false, ...selection }: ProjectOptions = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      ...selection,
      globalSetup: needsApp ? ["tests/support/start-app.ts"] : [],
      // One file at a time, when all others are done.
      ...(isAlone && { fileParallelism: false, sequence: { groupOrder: 1 } }),
      // Browsers take what there is: no more pages of a file side by side than the machines that build have processors.
      ...(name === "e2e" && { maxConcurrency: 2 }),
      testTimeout,
      hookTimeout,
    },
  };
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    maxWorkers: 2,
    // Vite sets BASE_URL to "/", which the app would take for its own variable; empty counts as unset.
    env: { BASE_URL: "" },
    expect: { poll: { timeout: pollTimeout } },
    projects: [
      unitProject("unit", { include: ["tests/unit/**/*.test.ts"], exclude: loners }, false),
      unitProject("unit-alone", { include: loners }, true),
      project("contract", { needsApp: true }),
      project("api", { needsApp: true }),
      project("faults", { exclude: undisturbed }),
      project("faults-alone", { include: undisturbed, isAlone: true }),
      project("e2e", { needsApp: true }),
    ],
  },
});
