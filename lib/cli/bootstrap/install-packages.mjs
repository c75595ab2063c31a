import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "./package-root.mjs";
import { runQuietly } from "./run-quietly.mjs";

const installTimeoutMs = 15 * 60_000;
const lockFile = path.join(packageRoot, "package-lock.json");
const modules = path.join(packageRoot, "node_modules");
/** Written last, so that an installation that was broken off is never taken for whole. */
const stampFile = path.join(modules, ".tapedeck-lock");

function wantedStamp() {
  const hash = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
  return `${process.platform}-${process.arch} ${hash}\n`;
}

export function arePackagesCurrent() {
  return (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wantedStamp()) || isInstalledByHand();
}

/** `npm ci` or `npm install` by hand leaves no stamp of ours, but npm's own list of what it installed, written last. */
function isInstalledByHand() {
  try {
    const wanted = JSON.parse(readFileSync(lockFile, "utf8")).packages;
    const present = JSON.parse(readFileSync(path.join(modules, ".package-lock.json"), "utf8")).packages;
    const fits = ([name, { version, integrity, optional, os, cpu, libc }]) => {
      if (name === "") return true;
      const isForHere = (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch)) && !libc;
      if (!present[name]) return optional === true && !(isForHere && (os || cpu));
      return present[name].version === version && present[name].integrity === integrity;
    };
    if (!Object.entries(wanted).every(fits)) return false;
    writeFileSync(stampFile, wantedStamp());
    return true;
  } catch {
    return false;
  }
}

/** `npm ci`, when the lock file asks for it. */
export async function installPackages({ signal } = {}) {
  if (arePackagesCurrent()) return;
  rmSync(stampFile, { force: true });
  const words = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const options = { signal, timeoutMs: installTimeoutMs };
  if (npm?.endsWith("npm-cli.js")) {
    await runQuietly("Installing packages", process.execPath, [npm, ...words], options);
  } else if (process.platform === "win32") {
    await runQuietly("Installing packages", "cmd.exe", ["/c", "npm", ...words], options);
  } else {
    await runQuietly("Installing packages", "npm", words, options);
  }
  writeFileSync(stampFile, wantedStamp());
}
