import path from "node:path";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";

const indent = (text) => text.trimEnd().replaceAll(/^/gm, "    ");

/** A vitest reporter: one line per finished file, what tests print, and errors outside of tests. */
export default class LineReporter {
  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === "failed").length;
    const isOk = failed === 0 && module.state() !== "failed";
    const file = path.relative(packageRoot, module.moduleId).replaceAll("\\", "/");
    const seconds = (module.diagnostic().duration / 1_000).toFixed(1);
    const counts = `${tests.length} tests${failed > 0 ? `, ${failed} failed` : ""}`;
    process.stdout.write(`  ${isOk ? "ok  " : "FAIL"} ${file} (${counts}, ${seconds} s)\n`);
  }

  onUserConsoleLog({ content }) {
    process.stdout.write(`${indent(content)}\n`);
  }

  onTestRunEnd(_modules, unhandledErrors) {
    for (const error of unhandledErrors)
      process.stdout.write(`  FAIL outside of tests\n${indent(error.stack ?? error.message)}\n`);
  }
}
