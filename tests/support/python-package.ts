import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { childEnvironment } from "#lib/platform/config";
import { isExtended } from "./extended";

const root = resolve(import.meta.dirname, "../..");
const commandTimeoutMs = 300_000;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Folder of the Python scripts of the tests. */
export const scripts = join(root, "tests/support/python");
export const wheelName = `tapedeck_testing-${version}-py3-none-any.whl`;

/** Runs a command to its end. Returns what it printed, or why it failed. */
function run(command: string, args: string[]): { output: string; failure: string } {
  const env = childEnvironment({ PIP_RETRIES: "0", PIP_DISABLE_PIP_VERSION_CHECK: "1" });
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    timeout: commandTimeoutMs,
    env,
  });
  const failure = status === 0 ? "" : error?.message || stderr?.trim().split("\n").at(-1) || `exit code ${status}`;
  return { output: stdout ?? "", failure };
}

/** Runs a command to its end. Throws if it fails. */
export function requireRun(command: string, ...args: string[]): string {
  const { output, failure } = run(command, args);
  if (failure !== "") throw new Error(`${command} ${args.join(" ")} failed: ${failure}`);
  return output;
}

/** Builds the wheel into a folder, and returns its path. */
export function buildWheel(folder: string): string {
  requireRun("python3", join(root, "lib/testing/python/build_wheel.py"), "--out", folder);
  return join(folder, wheelName);
}

/** Returns why the package cannot be used here; empty if it can. */
export function findPythonProblem(): string {
  const { failure } = run("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  return failure === "" ? "" : "there is no Python 3.9 or later";
}

export type PythonSetup = { folder: string; wheel: string; problem: string; remove: () => void };

/** Builds the wheel in a temporary folder; `problem` says why that is not possible here. */
export function prepareWheel(): PythonSetup {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-python-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const problem = findPythonProblem();
  return { folder, wheel: problem === "" ? buildWheel(folder) : "", problem, remove };
}

/** Installs pytest and the wheel in a virtual environment. Returns why that is not possible here; empty if it is. */
export function installPytest({ folder, wheel, problem }: PythonSetup): string {
  if (problem !== "") return problem;
  const venv = join(folder, "venv");
  const python = pythonOf({ folder });
  // A pip of its own would take longer to install than all the rest.
  const { failure } = run("python3", ["-m", "venv", "--without-pip", venv]);
  if (failure !== "") return `python3 cannot make a virtual environment: ${failure}`;
  const pip = ["-m", "pip", "--python", python];
  // Python compiles what it imports, which is little of it.
  const install = [...pip, "install", "--quiet", "--no-compile", "pytest", "pytest-xdist", wheel];
  const { failure: noPytest } = run("python3", install);
  if (noPytest !== "") return `pip cannot install pytest: ${noPytest}`;
  if (isExtended) requireRun("python3", ...pip, "check");
  return "";
}

/** Returns the interpreter of the virtual environment. */
export function pythonOf({ folder }: Pick<PythonSetup, "folder">): string {
  return join(folder, "venv/bin/python");
}

/** Adds to a title why its tests do not run. */
export function titled(title: string, problem: string): string {
  return problem === "" ? title : `${title} (skipped: ${problem})`;
}
