/**
 * Brings packages and generated code up to date, before the command or the tests run. Plain JavaScript without packages:
 * on a fresh clone nothing is installed yet.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { takeFileLock } from "../../platform/processes.mjs";
import { packageRoot } from "./package-root.mjs";
import { endLeftoverChildren, runQuietly, stopRequest, withProgress } from "./processes.mjs";

const lockTimeoutMs = 15 * 60_000;
const installTimeoutMs = 15 * 60_000;
const generateTimeoutMs = 2 * 60_000;
const schemaFile = path.join(packageRoot, "prisma", "schema.prisma");
const clientStampFile = path.join(packageRoot, "prisma", "generated", ".tapedeck-schema");
const prismaFolder = path.join(packageRoot, "node_modules", "prisma");
/** The variables that Prisma needs. A wrong setting of ours has to fail with our own message, not with Prisma's. */
const prismaVariables = [
  "PATH",
  "Path",
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "TEMP",
  "TMPDIR",
  "SystemRoot",
];

const lockFile = path.join(packageRoot, "package-lock.json");
const modules = path.join(packageRoot, "node_modules");
/** Written last, so that an interrupted installation never counts as complete. */
const packagesStampFile = path.join(modules, ".tapedeck-lock");
/** Where development packages are being added: if that is interrupted, a package may be there in part. */
const unfinishedStamp = "unfinished\n";

/** @param {boolean} withDevelopment whether development packages are installed too */
function packagesStamp(withDevelopment) {
  const hash = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  return `${process.platform}-${process.arch} ${withDevelopment ? "all" : "production"} ${hash}\n`;
}

function arePackagesCurrent({ withDevelopment }) {
  const stamp = existsSync(packagesStampFile) ? readFileSync(packagesStampFile, "utf8") : "";
  if (stamp === packagesStamp(true) || (!withDevelopment && stamp === packagesStamp(false))) return true;
  return stamp !== unfinishedStamp && isInstalledByHand({ withDevelopment });
}

/** A manual `npm ci` or `npm install` leaves no stamp of ours, but npm's own list of packages, which it writes last. */
function isInstalledByHand({ withDevelopment }) {
  try {
    const wanted = JSON.parse(readFileSync(lockFile, "utf8")).packages;
    const present = JSON.parse(readFileSync(path.join(modules, ".package-lock.json"), "utf8")).packages;
    const isInstalled = ([name, { version, integrity, optional, dev, os, cpu, libc }]) => {
      if (name === "" || (dev && !withDevelopment)) return true;
      const isForHere = (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch)) && !libc;
      if (!present[name]) return optional === true && !(isForHere && (os || cpu));
      return present[name].version === version && present[name].integrity === integrity;
    };
    if (!Object.entries(wanted).every(isInstalled)) return false;
    writeFileSync(packagesStampFile, packagesStamp(withDevelopment));
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs `npm ci` if the lock file changed. If only development packages are missing, they are added: a running server still has
 * to load some of the others, which `npm ci` would remove first.
 */
async function installPackages({ signal, withDevelopment }) {
  if (arePackagesCurrent({ withDevelopment })) return;
  const isAddition = arePackagesCurrent({ withDevelopment: false });
  if (isAddition) writeFileSync(packagesStampFile, unfinishedStamp);
  else rmSync(packagesStampFile, { force: true });
  const command = isAddition ? ["install", "--no-save"] : ["ci"];
  const scope = withDevelopment ? "--include=dev" : "--omit=dev";
  const args = [...command, scope, "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const options = { signal, timeoutMs: installTimeoutMs };
  if (npm?.endsWith("npm-cli.js")) {
    await runQuietly("Installing packages", process.execPath, [npm, ...args], options);
  } else if (process.platform === "win32") {
    await runQuietly("Installing packages", "cmd.exe", ["/c", "npm", ...args], options);
  } else {
    await runQuietly("Installing packages", "npm", args, options);
  }
  writeFileSync(packagesStampFile, packagesStamp(withDevelopment));
}

function clientStamp() {
  const { version } = JSON.parse(readFileSync(path.join(prismaFolder, "package.json"), "utf8"));
  return `${version} ${createHash("sha256").update(readFileSync(schemaFile)).digest("hex")}\n`;
}

export function isClientCurrent() {
  return existsSync(clientStampFile) && readFileSync(clientStampFile, "utf8") === clientStamp();
}

/** Generates prisma/generated if the schema or Prisma changed. */
export async function generateClient({ signal } = {}) {
  if (isClientCurrent()) return;
  rmSync(clientStampFile, { force: true });
  const env = Object.fromEntries(prismaVariables.map((name) => [name, process.env[name]]));
  await runQuietly(
    "Generating the database client",
    process.execPath,
    [path.join(prismaFolder, "build", "index.js"), "generate"],
    {
      // Generating only checks that the engine's file exists, so any file will do and nothing is downloaded.
      env: {
        ...env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        CHECKPOINT_DISABLE: "1",
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
      },
      signal,
      timeoutMs: generateTimeoutMs,
    },
  );
  writeFileSync(clientStampFile, clientStamp());
}

/**
 * Installs and generates what is missing or out of date. Concurrent commands wait for each other.
 *
 * @param {{ signal?: AbortSignal, withDevelopment?: boolean }} [options] `withDevelopment` also installs what tests need
 */
export async function prepare({ signal, withDevelopment = false } = {}) {
  if (arePackagesCurrent({ withDevelopment }) && isClientCurrent()) return;
  // In the clone, whatever the data folder: the lock guards node_modules.
  const file = path.join(packageRoot, ".tapedeck", "prepare.lock");
  const { release, holder } = await withProgress("Waiting for another installation", () =>
    takeFileLock(file, { timeoutMs: lockTimeoutMs, signal }),
  );
  if (!release) {
    const minutes = lockTimeoutMs / 60_000;
    throw new Error(`Process ${holder?.pid ?? "(unknown)"} has been installing packages for over ${minutes} minutes.`);
  }
  try {
    await endLeftoverChildren();
    await installPackages({ signal, withDevelopment });
    await generateClient({ signal });
  } finally {
    release();
  }
}

/** Prepares the clone for a command, and sets the process's arguments to `args`. Exits with 1 after a failure. */
export async function prepareCommand(args) {
  const { signal } = stopRequest();
  try {
    await prepare({ signal, withDevelopment: args[0] === "dev" });
  } catch (error) {
    if (signal.aborted) process.exit(0);
    console.error(error.message);
    process.exit(1);
  }
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
}
