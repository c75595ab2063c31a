import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { childEnvironment } from "#lib/platform/config";
import { packageRoot } from "#lib/platform/database/paths";
import { takeFileLock } from "../../platform/processes.mjs";
import { runQuietly } from "../bootstrap/processes.mjs";
import { hintScripts } from "./hint-scripts";
import { hashSources } from "./source-hash";

const lockTimeoutMs = 10 * 60_000;
const buildTimeoutMs = 15 * 60_000;
/** In the clone, whatever the data folder: it guards the build. */
const lockFile = path.join(packageRoot, ".tapedeck", "build.lock");
const buildFolder = path.join(packageRoot, ".next");
/** Written only after a build that succeeded, and away before the next begins. */
const stampFile = path.join(buildFolder, "tapedeck-build.json");

type Stamp = { sources: string; buildDate: string };

/** Builds the app where its sources changed since the last build. Returns the date of the build that is there. */
export async function ensureBuild({ signal }: { signal?: AbortSignal } = {}): Promise<string> {
  const { release, holder } = await takeFileLock(lockFile, { timeoutMs: lockTimeoutMs, ...(signal && { signal }) });
  if (!release) throw new Error(`Process ${holder?.pid ?? "(unknown)"} has been building for very long.`);
  try {
    const sources = hashSources();
    const stamp = readStamp();
    return stamp?.sources === sources ? stamp.buildDate : await build(sources, signal);
  } finally {
    release();
  }
}

/** Today, as builds carry it, unless the environment says otherwise. */
export function chooseBuildDate(): string {
  return childEnvironment().TAPEDECK_BUILD_DATE || new Date().toISOString().slice(0, 10);
}

export const nextCommand = createRequire(import.meta.url).resolve("next/dist/bin/next");

export function buildEnvironment(buildDate: string): NodeJS.ProcessEnv {
  return childEnvironment({
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    TAPEDECK_BUILD_DATE: buildDate,
  });
}

export function removeBuildStamp(): void {
  rmSync(stampFile, { force: true });
}

/** What is left to do after Next's own build. */
export function finishBuild(stamp: Stamp): void {
  hintScripts(buildFolder);
  writeBuildStamp(stamp);
}

function writeBuildStamp(stamp: Stamp): void {
  writeFileSync(`${stampFile}.new`, JSON.stringify(stamp));
  renameSync(`${stampFile}.new`, stampFile);
}

async function build(sources: string, signal?: AbortSignal): Promise<string> {
  const buildDate = chooseBuildDate();
  removeBuildStamp();
  await runQuietly("Building the app", process.execPath, [nextCommand, "build"], {
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
