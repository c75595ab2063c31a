import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "#lib/platform/command-line";
import { CommandFailure, misused } from "../failure";

/** Test runners by the package that brings them, in the order in which they are preferred, with their commands. */
const runnerCommands = {
  vitest: "vitest run",
  jest: "jest",
  "node:test": "node --test",
  mocha: "mocha",
  "@playwright/test": "playwright test",
  pytest: "pytest",
};
type Runner = keyof typeof runnerCommands;

/** SDKs by their packages, each with the variable of its key. */
const keyVariables: Record<string, string> = {
  openai: "OPENAI_API_KEY",
  "@anthropic-ai/sdk": "ANTHROPIC_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  "@google/genai": "GEMINI_API_KEY",
  "google-genai": "GEMINI_API_KEY",
  "groq-sdk": "GROQ_API_KEY",
  groq: "GROQ_API_KEY",
  "@mistralai/mistralai": "MISTRAL_API_KEY",
  mistralai: "MISTRAL_API_KEY",
  "cohere-ai": "CO_API_KEY",
  cohere: "CO_API_KEY",
};

export type Project = {
  /** Text of `package.json`; undefined without one. */
  manifest: string | undefined;
  runner: Runner | undefined;
  /** SDKs that it uses, and the variables of their keys. */
  sdks: { name: string; key: string }[];
  /** The command that runs the tests. */
  command: string;
  hasPackage: boolean;
  isTypeScript: boolean;
  isModule: boolean;
};

type Manifest = { type?: string; scripts?: Record<string, string> } & Record<
  string,
  Record<string, string> | undefined
>;

function readManifest(text: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new CommandFailure(`package.json cannot be read: ${(error as Error).message}`, misused);
  }
}

/** Returns the words of a Python project's files that can be names of requirements. */
function pythonPackages(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => /^(pyproject\.toml|requirements.*\.txt)$/.test(name));
  const text = files
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n")
    .replaceAll(/^(?:name|description|keywords|classifiers)\s*=\s*(?:\[[^\]]*\]|.*)$/gm, "");
  return [...text.matchAll(/(?:^|["'])[ \t]*([a-z0-9][\w.-]*)/gim)].map(([, name = ""]) => name.toLowerCase());
}

/**
 * Returns what the files of a folder say about its tests and SDKs. Throws CommandFailure without a `package.json`, a
 * `pyproject.toml` and requirements.
 */
export function findProject(folder: string): Project {
  const file = join(folder, "package.json");
  const manifest = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const { type, scripts = {}, dependencies, devDependencies } = readManifest(manifest ?? "{}");
  const python = pythonPackages(folder);
  if (manifest === undefined && python.length === 0)
    throw new CommandFailure("There is no package.json, pyproject.toml or requirements.txt here.", misused);
  const packages = new Set([...Object.keys({ ...dependencies, ...devDependencies }), ...python]);
  const test = scripts.test?.includes("no test specified") ? undefined : scripts.test;
  if (test && /\bnode\b.*--test\b/.test(test)) packages.add("node:test");
  const runner = (Object.keys(runnerCommands) as Runner[]).find((name) => packages.has(name));
  if (runner === undefined && test === undefined)
    throw new CommandFailure(
      `No test runner was found here. Run your tests with: ${commandLine("run -- <command>")}`,
      misused,
    );
  const entries = readdirSync(folder);
  const manager = ["pnpm", "yarn", "bun"].find((name) =>
    entries.some((entry) => entry.startsWith(`${name}.lock`) || entry.startsWith(`${name}-lock`)),
  );
  const ownTest = manager === "bun" ? "bun run test" : `${manager ?? "npm"} test`;
  return {
    manifest,
    runner,
    sdks: Object.entries(keyVariables).flatMap(([name, key]) => (packages.has(name) ? [{ name, key }] : [])),
    command: test !== undefined && runner !== "pytest" ? ownTest : runnerCommands[runner ?? "node:test"],
    hasPackage: packages.has(runner === "pytest" ? "tapedeck-testing" : "@tapedeck/testing"),
    isTypeScript: packages.has("typescript"),
    isModule: type === "module",
  };
}
