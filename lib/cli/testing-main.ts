import { CommanderError } from "commander";
import { version } from "#lib/platform/version";
import { requireNode } from "./bootstrap/require-node.mjs";
import { addAuditCommand } from "./commands/audit";
import { addCompareCommand } from "./commands/compare";
import { addDriftCommand } from "./commands/drift";
import { addEditCommand } from "./commands/edit";
import { addInitCommand } from "./commands/init";
import { addMergeRunsCommand } from "./commands/merge-runs";
import { addProxyCommand, addRunCommand } from "./commands/run";
import { addDoctorCommand, addPruneCommand, addWhyCommand } from "./commands/tapes";
import { addTapeImportCommand } from "./commands/tapes-import";
import { addTapeMoveCommand } from "./commands/tapes-move";
import { addTapeRedactCommand } from "./commands/tapes-redact";
import { addTapePlayCommand, addTapeShowCommand } from "./commands/tapes-show";
import { CommandFailure, failed, misused } from "./failure";
import { serverCommand, styleHelp, TapedeckCommand } from "./help-style";

requireNode();

/** The `tapedeck` command of the testing package: what concerns tapes. */
const program = styleHelp(new TapedeckCommand("tapedeck"))
  .description("Records the model calls of a test suite once, and replays them.")
  .version(version)
  .showHelpAfterError("(add --help for usage)")
  .addHelpText(
    "after",
    "\nWith --help, each command explains itself; --version prints the version.\nExit codes: those of the command that runs; else 0 success, 1 failure, 2 wrong usage.",
  );
for (const add of [
  addInitCommand,
  addRunCommand,
  addProxyCommand,
  addTapeShowCommand,
  addTapePlayCommand,
  addEditCommand,
  addTapeMoveCommand,
  addTapeRedactCommand,
  addWhyCommand,
  addDoctorCommand,
  addPruneCommand,
  addMergeRunsCommand,
  addAuditCommand,
  addDriftCommand,
  addCompareCommand,
  addTapeImportCommand,
]) {
  add(program, { stdout: process.stdout, stderr: process.stderr });
}
for (const command of [program, ...program.commands]) command.exitOverride();

// A reader such as `head` that closes the pipe early is not a failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : failed));

// Without a command, help is what was asked for.
const args = process.argv.slice(2);
program.parseAsync(args.length > 0 ? args : ["--help"], { from: "user" }).catch((error: Error) => {
  if (error instanceof CommanderError) {
    if (error.code === "commander.unknownCommand")
      process.stderr.write(`Commands for cassettes, texts and servers: ${serverCommand(program, "--help")}\n`);
    process.exitCode = error.exitCode === 0 ? 0 : misused;
    return;
  }
  if (error.message !== "") process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof CommandFailure ? error.exitCode : failed;
});
