import { readdirSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";

/** These run without the built app and without other programs. */
const withoutApp = /^tests\/unit\//;

function testFiles() {
  return readdirSync(path.join(packageRoot, "tests"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `tests/${name.replaceAll("\\", "/")}`);
}

/**
 * Returns what `npm test -- <words>` selects: test files by their path or a part of it, else tests in all files by a
 * part of their name. Undefined without words, which selects everything.
 */
export function selectTests(words) {
  if (words.length === 0) return undefined;
  const files = testFiles();
  const matches = words.map((word) => {
    const wanted = path.relative(packageRoot, path.resolve(packageRoot, word)).replaceAll("\\", "/");
    return files.filter((file) => file === wanted || file.includes(wanted));
  });
  if (matches.every((found) => found.length > 0)) {
    const selected = [...new Set(matches.flat())];
    return { words: selected, needsApp: !selected.every((file) => withoutApp.test(file)) };
  }
  const name = words.join(" ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return { words: ["-t", name], needsApp: true };
}
