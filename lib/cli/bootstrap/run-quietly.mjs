import { withProgress } from "./progress.mjs";
import { runCollected } from "./run-collected.mjs";

/** Runs a program with a progress line in place of its output; when it fails, the error's message holds that output. */
export async function runQuietly(label, file, words, options) {
  const { exitCode, ending, output } = await withProgress(label, () => runCollected(file, words, options));
  if (exitCode !== 0) throw new Error(`${output}\n${label} failed (${ending}).`);
  return output;
}
