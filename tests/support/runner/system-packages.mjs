/** Programs that the tests use and npm cannot install: a browser, Redis, and for the extended tests PgBouncer and languages. */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { runQuietly } from "../../../lib/cli/bootstrap/processes.mjs";

const installTimeoutMs = 15 * 60_000;
const browsers = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const [shell] = browsers;

/** Prefers the headless shell, which needs far less CPU; other browsers work too. */
function hasBrowser(names) {
  const { CHROMIUM_PATH } = process.env;
  return CHROMIUM_PATH ? existsSync(CHROMIUM_PATH) : findInPath(names) !== undefined;
}

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

const hasRedis = () => findInPath(["redis-server"]) !== undefined;
const hasPgBouncer = () => findInPath(["pgbouncer"]) !== undefined;

/** Returns a program of the extended tests, which is in packages of Debian. */
function language(program, ...packages) {
  const isInstalled = () => findInPath([program]) !== undefined;
  const advice = `${program} is missing: install it. A test of its requests will fail.`;
  return { packages, isExtended: true, isBest: isInstalled, isInstalled, advice };
}

const programs = [
  {
    packages: ["chromium-headless-shell"],
    isBest: () => hasBrowser([shell]),
    isInstalled: () => hasBrowser(browsers),
    advice: "Chromium is missing: install it or Chrome, and set CHROMIUM_PATH to its program. Browser tests will fail.",
  },
  {
    packages: ["redis-server"],
    isBest: hasRedis,
    isInstalled: hasRedis,
    advice: "redis-server is missing: install Redis 6 or newer. Tests of the Redis limiter will fail.",
  },
  {
    packages: ["pgbouncer"],
    isExtended: true,
    isBest: hasPgBouncer,
    isInstalled: hasPgBouncer,
    advice: "pgbouncer is missing: install PgBouncer. Tests of several machines behind it will fail.",
  },
  language("go", "golang-go"),
  language("java", "default-jdk-headless"),
  language("php", "php-cli", "php-curl"),
  language("ruby", "ruby"),
];

function isDebianAsRoot() {
  if (process.getuid?.() !== 0 || !findInPath(["apt-get"])) return false;
  return /^ID=debian$/m.test(existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "");
}

/** Installs missing programs on Debian as root. Elsewhere prints what to install, and the tests continue. */
export async function installSystemPackages({ signal, isExtended }) {
  const needed = programs.filter((program) => isExtended || !program.isExtended);
  const wanted = needed.filter(({ isBest }) => !isBest());
  if (wanted.length > 0 && isDebianAsRoot()) {
    const names = wanted.flatMap(({ packages }) => packages);
    const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, signal, timeoutMs: installTimeoutMs };
    try {
      await runQuietly("Updating Debian's package lists", "apt-get", ["update", "-q"], options);
      const args = ["install", "-q", "-y", "--no-install-recommends", ...names];
      await runQuietly(`Installing ${names.join(", ")}`, "apt-get", args, options);
    } catch (error) {
      if (signal.aborted) throw error;
      console.error(error.message);
    }
  }
  for (const { advice } of needed.filter(({ isInstalled }) => !isInstalled())) console.error(advice);
}
