import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { packageRoot } from "../../../lib/cli/bootstrap/package-root.mjs";

/** Lines of an error that are printed as soon as its file has ended. The whole error is printed at the end of the run. */
const errorLineCount = 12;

const indent = (text) => text.trimEnd().replaceAll(/^/gm, "    ");

const firstLines = (text) => text.split("\n").slice(0, errorLineCount).join("\n");

/** A vitest reporter that prints one line per finished file, its failures, output of tests, and errors outside of tests. */
export default class LineReporter {
  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === "failed");
    const isOk = failed.length === 0 && module.state() !== "failed";
    const file = path.relative(packageRoot, module.moduleId).replaceAll("\\", "/");
    const seconds = (module.diagnostic().duration / 1_000).toFixed(1);
    const counts = `${tests.length} tests${failed.length > 0 ? `, ${failed.length} failed` : ""}`;
    process.stdout.write(`  ${isOk ? "ok  " : "FAIL"} ${file} (${counts}, ${seconds} s)\n`);
    for (const test of failed) {
      // The message shortens long values, which are only whole in the difference.
      const messages = test
        .result()
        .errors.map(({ message, diff = "" }) => firstLines(`${message}\n${stripVTControlCharacters(diff)}`));
      process.stdout.write(`${indent(`${test.fullName}\n${messages.join("\n")}`)}\n`);
    }
  }

  onUserConsoleLog({ content }) {
    process.stdout.write(`${indent(content)}\n`);
  }

  onTestRunEnd(_modules, unhandledErrors) {
    for (const error of unhandledErrors)
      process.stdout.write(`  FAIL outside of tests\n${indent(error.stack ?? error.message)}\n`);
  }
}
