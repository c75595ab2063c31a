import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/** An own folder that goes after everything else of its test; or of its file or suite, when called outside a test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-test-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (TestRunner.getCurrentTest() === undefined) afterAll(remove);
  else onTestFinished(remove);
  return folder;
}
