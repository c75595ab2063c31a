import { defineConfig } from "vitest/config";

/** Longest time for one test and for starting what a project needs, in milliseconds. */
const testTimeout = 30_000;
const hookTimeout = 120_000;

type ProjectOptions = { needsApp?: boolean; isSerial?: boolean };

function project(name: string, { needsApp = false, isSerial = false }: ProjectOptions = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      globalSetup: needsApp ? ["tests/support/start-app.ts"] : [],
      fileParallelism: !isSerial,
      testTimeout,
      hookTimeout,
    },
  };
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    maxWorkers: 2,
    // Tests of one file that run side by side: as many as the machines that build have processors.
    maxConcurrency: 2,
    // Vite sets BASE_URL to "/", which the app would take for its own variable; empty counts as unset.
    env: { BASE_URL: "" },
    projects: [
      project("unit"),
      project("contract", { needsApp: true }),
      project("api", { needsApp: true }),
      project("faults", { isSerial: true }),
      project("e2e", { needsApp: true, isSerial: true }),
    ],
  },
});
