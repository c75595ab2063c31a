import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";

/** Tests of the contract that only read the code and the docs. */
export const sourceTests = ["boundaries", "bounds", "clients", "docs", "pairing"].map(
  (name) => `tests/contract/${name}.test.ts`,
);

/** Whether a test needs neither the built app nor other programs. */
const isWithoutApp = (file) => file.startsWith("tests/unit/") || sourceTests.includes(file);
const projects = ["--project", "standalone*"];

function testFiles() {
  return readdirSync(path.join(packageRoot, "tests"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `tests/${name.replaceAll("\\", "/")}`);
}

/** @returns {{ args: string[], needsApp: boolean }} */
function select(files, args) {
  const needsApp = !files.every(isWithoutApp);
  return { args: [...(needsApp ? [] : projects), ...files, ...args], needsApp };
}

/**
 * Returns what `npm test -- <args>` selects: test files by their path or a part of it, else tests by a part of their
 * name. Returns undefined without arguments, which selects all tests.
 */
export function selectTests(args) {
  if (args.length === 0) return undefined;
  const files = testFiles();
  const matches = args.map((arg) => {
    const wanted = path.relative(packageRoot, path.resolve(packageRoot, arg)).replaceAll("\\", "/");
    return files.filter((file) => file === wanted || file.includes(wanted));
  });
  if (matches.every((found) => found.length > 0)) return select([...new Set(matches.flat())], []);
  const name = args.join(" ");
  const byName = ["-t", name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")];
  // A name that is put together while the tests run is in no file: then all files are searched.
  const containing = files.filter((file) => readFileSync(path.join(packageRoot, file), "utf8").includes(name));
  return containing.length > 0 ? select(containing, byName) : { args: byName, needsApp: true };
}
