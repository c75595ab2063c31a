import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandLine, isInstalled } from "#lib/platform/command-line";
import { keyVariablesOf } from "#lib/replay/interception/index";
import { foldersOfRepository, readYaml } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";

/** Test runners by the package that brings them, in the order in which they are preferred, with their commands. */
const runnerCommands = {
  vitest: "vitest run",
  jest: "jest",
  "node:test": "node --test",
  mocha: "mocha",
  "@playwright/test": "playwright test",
  "bun test": "bun test",
  "deno test": "deno test -A",
  pytest: "pytest",
};
type Runner = keyof typeof runnerCommands;

/** The member of a `package.json` that lists a workspace's packages. */
type WorkspaceList = { workspaces?: string[] | { packages?: string[] } | null };

/** Returns the patterns of packages of pnpm. Throws CommandFailure. */
function pnpmPatterns(folder: string): string[] {
  const name = "pnpm-workspace.yaml";
  if (!existsSync(join(folder, name))) return [];
  try {
    const content = readYaml(readFileSync(join(folder, name), "utf8")) as { packages?: string[] } | null;
    return content?.packages ?? [];
  } catch (error) {
    throw new CommandFailure(`${name} cannot be read: ${(error as Error).message}`, misused);
  }
}

/** Returns the patterns of folders, such as `packages/*`, that a workspace names. */
function patternsOf(folder: string, { workspaces }: WorkspaceList): string[] {
  const ofNpm = Array.isArray(workspaces) ? workspaces : workspaces?.packages;
  return [...(ofNpm ?? []), ...pnpmPatterns(folder)];
}

export type Manager = "npm" | "pnpm" | "yarn" | "bun";

/** Files that tell the package manager. */
const managerFiles: readonly (readonly [string, Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["pnpm-workspace.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
];

/** Returns the package manager of the nearest lock file of a folder or above it, in its repository; npm without one. */
function findManager(start: string): Manager {
  const found = foldersOfRepository(start).flatMap((folder) =>
    managerFiles.filter(([file]) => existsSync(join(folder, file))),
  );
  return found[0]?.[1] ?? "npm";
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Returns the folders of a workspace's packages, from its own. Of patterns, those that end with `/*` are known. */
function findPackages(folder: string, manifest: WorkspaceList): string[] {
  const folders = patternsOf(folder, manifest).flatMap((pattern) => {
    const above = /^([^*!]+)\/\*{1,2}$/.exec(pattern)?.[1];
    if (above === undefined) return pattern.includes("*") ? [] : [pattern];
    const path = join(folder, above);
    return isFolder(path) ? readdirSync(path).map((name) => `${above}/${name}`) : [];
  });
  return folders.filter((each) => existsSync(join(folder, each, "package.json"))).sort();
}

/** Files that tell the runner, where no list of packages does. */
const runnerFiles: readonly (readonly [RegExp, Runner])[] = [
  [/^vitest\.config\.[cm]?[jt]s$/, "vitest"],
  [/^jest\.config\.(?:[cm]?[jt]s|json)$/, "jest"],
  [/^playwright\.config\.[cm]?[jt]s$/, "@playwright/test"],
  [/^bun(?:\.lockb?|fig\.toml)$/, "bun test"],
  [/^deno\.jsonc?$/, "deno test"],
  [/^(?:pytest\.ini|conftest\.py|test_.*\.py)$/, "pytest"],
];

/** Returns the runners that the files of a folder tell, those of its tests included. */
function runnersOf(folder: string, entries: readonly string[]): Runner[] {
  const below = ["tests", "test"].filter((name) => isFolder(join(folder, name)));
  const names = [...entries, ...below.flatMap((name) => readdirSync(join(folder, name)))];
  const has = (file: string, text: string) =>
    entries.includes(file) && readFileSync(join(folder, file), "utf8").includes(text);
  const isPytest =
    has("pyproject.toml", "[tool.pytest") || has("setup.cfg", "[tool:pytest]") || has("tox.ini", "[pytest]");
  const found = runnerFiles.flatMap(([pattern, runner]) => (names.some((name) => pattern.test(name)) ? [runner] : []));
  return isPytest ? [...found, "pytest"] : found;
}

/** SDKs by their packages, each with the host that it calls. */
const sdkHosts: Record<string, string> = {
  openai: "api.openai.com",
  "@anthropic-ai/sdk": "api.anthropic.com",
  anthropic: "api.anthropic.com",
  "@google/genai": "generativelanguage.googleapis.com",
  "google-genai": "generativelanguage.googleapis.com",
  "groq-sdk": "api.groq.com",
  groq: "api.groq.com",
  "@mistralai/mistralai": "api.mistral.ai",
  mistralai: "api.mistral.ai",
  "cohere-ai": "api.cohere.com",
  cohere: "api.cohere.com",
  "@ai-sdk/openai": "api.openai.com",
  "@ai-sdk/anthropic": "api.anthropic.com",
  "@ai-sdk/google": "generativelanguage.googleapis.com",
  "@ai-sdk/groq": "api.groq.com",
  "@ai-sdk/mistral": "api.mistral.ai",
  "@ai-sdk/cohere": "api.cohere.com",
};

/** Variables of the keys of SDKs that do not read the first one of their host. */
const sdkKeys: Record<string, string> = {
  "@ai-sdk/google": "GOOGLE_GENERATIVE_AI_API_KEY",
  "@ai-sdk/cohere": "COHERE_API_KEY",
};

type Sdk = { name: string; key: string };

const sdksOf = (packages: ReadonlySet<string>): Sdk[] =>
  Object.entries(sdkHosts).flatMap(([name, host]) =>
    packages.has(name) ? [{ name, key: sdkKeys[name] ?? keyVariablesOf(host)[0] ?? "" }] : [],
  );

export type Project = {
  /** Text of `package.json`; undefined without one. */
  manifest: string | undefined;
  runner: Runner | undefined;
  /** SDKs that it uses, and the variables of their keys. */
  sdks: Sdk[];
  /** Those of a workspace's packages too. */
  allSdks: Sdk[];
  /** The command that runs the tests. */
  command: string;
  /** The package manager. */
  manager: Manager;
  /** Folders of the packages of a workspace. */
  packages: string[];
  hasPackage: boolean;
  isTypeScript: boolean;
  isModule: boolean;
};

type Manifest = WorkspaceList & {
  type?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

function readManifest(text: string, file = "package.json"): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`, misused);
  }
}

/** Returns the manifest of a package of a workspace; an empty one if it cannot be read, which is for a run in that package to say. */
function manifestIn(folder: string): Manifest {
  try {
    return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest | null) ?? {};
  } catch {
    return {};
  }
}

const namesOf = ({ dependencies, devDependencies }: Manifest) => Object.keys({ ...dependencies, ...devDependencies });

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
 * Returns what the files of a folder say about its tests and SDKs. Throws CommandFailure without a `package.json`, files of
 * Python or Deno, and a test runner.
 */
export function findProject(folder: string): Project {
  const file = join(folder, "package.json");
  const manifest = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const parsed = readManifest(manifest ?? "{}");
  const { type, scripts = {} } = parsed;
  const python = pythonPackages(folder);
  const entries = readdirSync(folder);
  const told = runnersOf(folder, entries);
  if (manifest === undefined && python.length === 0 && told.length === 0)
    throw new CommandFailure("There is no package.json, pyproject.toml, requirements.txt or deno.json here.", misused);
  const packages = new Set([...namesOf(parsed), ...python]);
  const test = scripts.test?.includes("no test specified") ? undefined : scripts.test;
  if (test && /\bnode\b.*--test\b/.test(test)) packages.add("node:test");
  const isBunTest = test !== undefined && /\bbun test\b/.test(test);
  const names = Object.keys(runnerCommands) as Runner[];
  // A script tells better what runs the tests than files that have other uses too.
  const weak: readonly Runner[] = test === undefined ? [] : ["bun test", "deno test", "pytest"];
  const byFile = names.find((name) => told.includes(name) && !weak.includes(name));
  const runner = isBunTest ? "bun test" : (names.find((name) => packages.has(name)) ?? byFile);
  const workspace = findPackages(folder, parsed);
  if (runner === undefined && test === undefined) {
    const advice =
      workspace.length > 0
        ? `Run init in the package whose tests call models: ${workspace.join(", ")}.`
        : `Run your tests with: ${commandLine("run -- <command>")}`;
    throw new CommandFailure(`No test runner was found here. ${advice}`, misused);
  }
  const manager = findManager(folder);
  const ownTest = manager === "bun" ? "bun run test" : `${manager} test`;
  const isOwn = test !== undefined && runner !== "pytest" && runner !== "deno test";
  return {
    manifest,
    runner,
    sdks: sdksOf(packages),
    allSdks: sdksOf(new Set([...packages, ...workspace.flatMap((name) => namesOf(manifestIn(join(folder, name))))])),
    command: isOwn ? ownTest : runnerCommands[runner ?? "node:test"],
    manager,
    packages: workspace,
    hasPackage:
      runner === "pytest"
        ? packages.has("tapedeck-testing")
        : // The scripts of Yarn's workspaces find only what they depend on themselves.
          packages.has("@tapedeck/testing") || (manager !== "yarn" && isInstalled("@tapedeck/testing")),
    isTypeScript:
      packages.has("typescript") || entries.some((name) => /^tsconfig\.json$|\.config\.[cm]?ts$/.test(name)),
    isModule: type === "module",
  };
}
