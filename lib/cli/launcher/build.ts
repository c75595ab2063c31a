import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { childEnvironment, config } from "#lib/platform/config";
import { packageRoot } from "#lib/platform/database/paths";
import { minuteMs } from "#lib/platform/time";
import { takeFileLock } from "../../platform/processes.mjs";
import { hasWorkers, writeBundle, writeWorkers } from "../bootstrap/command-bundle.mjs";
import { endLeftoverChildren, runQuietly, stopRequest } from "../bootstrap/processes.mjs";
import { isClone } from "../installation";

const lockTimeoutMs = 10 * minuteMs;
const buildTimeoutMs = 15 * minuteMs;
/** Always in the clone, not in the data folder, because the lock protects the build. */
const lockFile = path.join(packageRoot, ".tapedeck", "build.lock");
const buildFolder = path.join(packageRoot, ".next");
/** Written after a successful build, and removed before the next one starts. */
const stampFile = path.join(buildFolder, "tapedeck-build.json");

type Stamp = { sources: string; buildDate: string };

/** Builds the app and the command, which the worker runs, if their sources changed. Returns the date of the current build. */
export async function ensureBuild(options: { signal?: AbortSignal } = {}): Promise<string> {
  if (!isClone) return readStamp()?.buildDate ?? chooseBuildDate();
  const buildDate = await ensureApp(options);
  await writeBundle();
  return buildDate;
}

async function ensureApp({ signal }: { signal?: AbortSignal }): Promise<string> {
  // A current build needs no lock, which could not be written in an image: its stamp is removed before another one starts.
  const stamp = readStamp();
  if (stamp?.sources === hashSources() && hasWorkers()) return stamp.buildDate;
  const { release, holder } = await takeFileLock(lockFile, { timeoutMs: lockTimeoutMs, ...(signal && { signal }) });
  if (!release)
    throw new Error(
      `Process ${holder?.pid ?? "(unknown)"} has been building for over ${lockTimeoutMs / minuteMs} minutes.`,
    );
  try {
    const sources = hashSources();
    const stamp = readStamp();
    if (stamp?.sources !== sources) return await build(sources, signal);
    // Installing packages deletes them.
    if (!hasWorkers()) await writeWorkers();
    return stamp.buildDate;
  } finally {
    release();
  }
}

/** Returns the build date: TAPEDECK_BUILD_DATE, else today. */
export function chooseBuildDate(): string {
  return childEnvironment().TAPEDECK_BUILD_DATE || new Date().toISOString().slice(0, 10);
}

const nextCommand = () => createRequire(import.meta.url).resolve("next/dist/bin/next");

/**
 * Returns variables that make servers of the current build start faster; none without a build. With one, Next's own standalone
 * servers pass the build's configuration, so that no server has to compile next.config.ts. In the folder of the other, Node.js
 * stores compiled code since version 22.
 */
export function builtEnvironment(): { __NEXT_PRIVATE_STANDALONE_CONFIG?: string; NODE_COMPILE_CACHE?: string } {
  const file = path.join(buildFolder, "required-server-files.json");
  if (!existsSync(file)) return {};
  return {
    __NEXT_PRIVATE_STANDALONE_CONFIG: JSON.stringify(JSON.parse(readFileSync(file, "utf8")).config),
    NODE_COMPILE_CACHE: path.join(buildFolder, "compiled"),
  };
}

function buildEnvironment(buildDate: string): NodeJS.ProcessEnv {
  return childEnvironment({ NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", TAPEDECK_BUILD_DATE: buildDate });
}

function removeBuildStamp(): void {
  rmSync(stampFile, { force: true });
}

/** Completes a build after Next's own steps. */
function finishBuild(stamp: Stamp): void {
  addCompileHints(buildFolder);
  writeBuildStamp(stamp);
}

function writeBuildStamp(stamp: Stamp): void {
  writeFileSync(`${stampFile}.new`, JSON.stringify(stamp));
  renameSync(`${stampFile}.new`, stampFile);
}

async function build(sources: string, signal?: AbortSignal): Promise<string> {
  const buildDate = chooseBuildDate();
  removeBuildStamp();
  await writeWorkers();
  await runQuietly("Building the app", process.execPath, [nextCommand(), "build"], {
    env: buildEnvironment(buildDate),
    timeoutMs: buildTimeoutMs,
    ...(signal && { signal }),
  });
  finishBuild({ sources, buildDate });
  return buildDate;
}

function readStamp(): Stamp | undefined {
  if (!existsSync(path.join(buildFolder, "BUILD_ID"))) return undefined;
  try {
    return JSON.parse(readFileSync(stampFile, "utf8")) as Stamp;
  } catch {
    return undefined;
  }
}

/** Runs `tapedeck build` and returns its exit code. Without `ifChanged`, shows Next's own output. */
export async function runBuild({ ifChanged }: { ifChanged: boolean }): Promise<number> {
  config();
  if (!ifChanged) return buildWithOutput();
  await endLeftoverChildren();
  await ensureBuild({ signal: stopRequest().signal });
  return 0;
}

async function buildWithOutput(): Promise<number> {
  const [buildDate, sources] = [chooseBuildDate(), hashSources()];
  removeBuildStamp();
  await writeWorkers();
  const child = spawn(process.execPath, [nextCommand(), "build"], {
    cwd: packageRoot,
    env: buildEnvironment(buildDate),
    stdio: "inherit",
  });
  const [exitCode] = (await once(child, "exit")) as [number | null];
  if (exitCode !== 0) return exitCode ?? 1;
  finishBuild({ sources, buildDate });
  await writeBundle();
  return 0;
}

/** Sources of `next build`. Cassettes are read at runtime. */
const sources = [
  "app",
  "lib",
  "prisma",
  "content/docs",
  "public",
  "instrumentation.ts",
  "next.config.ts",
  "proxy.ts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];
/** Generated from the schema, which is hashed itself. */
const generated = path.join(packageRoot, "prisma", "generated");
/** Variables that the build inlines; all others are read when the server runs. Without TAPEDECK_BUILD_DATE, a new date alone causes no rebuild. */
const buildVariables = ["TAPEDECK_BUILD_DATE", "VERCEL"];

/** Returns a hash of everything that the build depends on: names and contents of files, and variables. */
function hashSources(): string {
  const hash = createHash("sha256");
  for (const source of sources) addFile(hash, path.join(packageRoot, source));
  const environment = childEnvironment();
  for (const name of buildVariables) hash.update(`${name}=${environment[name] ?? ""}\0`);
  return hash.digest("hex");
}

function addFile(hash: ReturnType<typeof createHash>, file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || file === generated) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(file).sort()) addFile(hash, path.join(file, name));
    return;
  }
  if (!found.isFile()) return;
  const content = readFileSync(file);
  hash.update(`${path.relative(packageRoot, file)}\0${content.byteLength}\0`).update(content);
}

/**
 * Makes Chrome 136 and newer compile the whole script on a background thread while it downloads, instead of function by
 * function on the main thread. Other browsers ignore the comment. It has to be at the start of the file, where no bundler
 * keeps it. Source: https://v8.dev/blog/explicit-compile-hints
 */
const compileHint = "//# allFunctionsCalledOnLoad\n";

/** Adds the hint to each script of a build. Idempotent. */
function addCompileHints(buildFolder: string): void {
  const folder = path.join(buildFolder, "static", "chunks");
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".js"))) {
    const file = path.join(folder, name);
    const script = readFileSync(file, "utf8");
    if (script.startsWith(compileHint)) continue;
    writeFileSync(`${file}.new`, compileHint + script);
    renameSync(`${file}.new`, file);
  }
}
