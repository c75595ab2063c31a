/** Programs that the tests drive and npm cannot bring: a browser and a Redis. */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { runQuietly } from "../../../lib/cli/bootstrap/run-quietly.mjs";

const installTimeoutMs = 15 * 60_000;
const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function findInPath(names) {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  const files = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const needed = [
  {
    package: "chromium",
    isThere: () =>
      process.env.CHROMIUM_PATH ? existsSync(process.env.CHROMIUM_PATH) : findInPath(browsers) !== undefined,
    advice: "Chromium is missing: install it or Chrome, and set CHROMIUM_PATH to its program. Browser tests will fail.",
  },
  {
    package: "redis-server",
    isThere: () => findInPath(["redis-server"]) !== undefined,
    advice: "redis-server is missing: install Redis 6 or newer. Tests of the Redis limiter will fail.",
  },
];

function isDebianAsRoot() {
  if (process.getuid?.() !== 0 || !findInPath(["apt-get"])) return false;
  return /^ID=debian$/m.test(existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "");
}

/** Installs what is missing where that can be done; elsewhere says what to install, and the tests go on. */
export async function installSystemPackages({ signal }) {
  const missing = needed.filter(({ isThere }) => !isThere());
  if (missing.length === 0) return;
  if (isDebianAsRoot()) {
    const names = missing.map((each) => each.package);
    const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, signal, timeoutMs: installTimeoutMs };
    try {
      await runQuietly("Updating Debian's package lists", "apt-get", ["update", "-q"], options);
      const words = ["install", "-q", "-y", "--no-install-recommends", ...names];
      await runQuietly(`Installing ${names.join(" and ")}`, "apt-get", words, options);
    } catch (error) {
      if (signal.aborted) throw error;
      console.error(error.message);
    }
  }
  for (const { advice } of missing.filter(({ isThere }) => !isThere())) console.error(advice);
}
