import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { childEnvironment } from "#lib/platform/config";

const installTimeoutMs = 300_000;
const pythonTimeoutMs = 600_000;
const root = resolve(import.meta.dirname, "../../..");

/** Returns the path of a Node.js version, which npm downloads on first use. Throws if that fails. */
export function nodeOf(version: string): string {
  const args = ["-y", "-p", `node@${version}`, "node", "-p", "process.execPath"];
  const { status, stdout, stderr } = spawnSync("npx", args, { encoding: "utf8", timeout: installTimeoutMs });
  if (status !== 0) throw new Error(`Node.js ${version} could not be installed: ${stderr}`);
  return stdout.trim();
}

export type Installed = { folder: string; remove(): void };

/** Installs packages from the npm registry in a temporary folder. Throws if that fails. */
export function installPackages(packages: readonly string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-clients-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { status, stderr } = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...packages], {
    cwd: folder,
    encoding: "utf8",
    timeout: installTimeoutMs,
  });
  if (status === 0) return { folder, remove };
  remove();
  throw new Error(`npm could not install ${packages.join(", ")}: ${stderr}`);
}

/** Returns whether Python can install packages here. */
export function hasPython(): boolean {
  return spawnSync("python3", ["-m", "venv", "--help"]).status === 0;
}

/** Installs packages such as `openai@3` from Python's index in a virtual environment. Throws if that fails. */
export function installPythonPackages(packages: readonly string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-python-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // An index that does not answer is not asked again.
  const env = childEnvironment({ PIP_RETRIES: "0" });
  const versions = packages.map((each) => `${each.replace("@", "==")}.*`);
  for (const [command, ...args] of [
    ["python3", "-m", "venv", folder],
    [join(folder, "bin/pip"), "install", "--quiet", ...versions],
  ] as [string, ...string[]][]) {
    const { status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: pythonTimeoutMs, env });
    if (status === 0) continue;
    remove();
    throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
  }
  return { folder, remove };
}

/** Bundles a module of the tests into the folder, where it uses the installed packages; returns the path of the bundle. */
export async function bundleInto({ folder }: Installed, module: string): Promise<string> {
  const outfile = join(folder, "bundle.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: [module],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    tsconfig: join(root, "tsconfig.json"),
    logLevel: "error",
  });
  return outfile;
}

/** Returns an environment with these variables, and of the own only those that programs need to start. */
export function bareEnvironment(home: string, added: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH = "" } = childEnvironment({});
  return { NODE_ENV: "production", PATH, HOME: home, ...added };
}
