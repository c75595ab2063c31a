import { readdirSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";

/** Tests that need neither the built app nor other programs. */
const withoutApp = /^tests\/unit\//;

function testFiles() {
  return readdirSync(path.join(packageRoot, "tests"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `tests/${name.replaceAll("\\", "/")}`);
}

/**
 * Returns what `npm test -- <args>` selects: test files by their path or a part of it, else tests in all files by a
 * part of their name. Returns undefined without arguments, which selects all tests.
 */
export function selectTests(args) {
  if (args.length === 0) return undefined;
  const files = testFiles();
  const matches = args.map((arg) => {
    const wanted = path.relative(packageRoot, path.resolve(packageRoot, arg)).replaceAll("\\", "/");
    return files.filter((file) => file === wanted || file.includes(wanted));
  });
  if (matches.every((found) => found.length > 0)) {
    const selected = [...new Set(matches.flat())];
    return { args: selected, needsApp: !selected.every((file) => withoutApp.test(file)) };
  }
  const name = args.join(" ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return { args: ["-t", name], needsApp: true };
}
