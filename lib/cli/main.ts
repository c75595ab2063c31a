import { Command, CommanderError } from "commander";
import { ConfigError } from "#lib/platform/config";
import { version } from "#lib/platform/version";
import { addBuildCommand } from "./commands/build";
import { addCassettesCommand } from "./commands/cassettes";
import { addDatabaseCommand } from "./commands/database";
import { addDevCommand } from "./commands/dev";
import { addFleetCommand } from "./commands/fleet";
import { addRecordCommand } from "./commands/record";
import { addUpCommand } from "./commands/up";
import { CommandFailure, failed, misused } from "./failure";

/** The whole `tapedeck` command; commander's own exits become exceptions, so that there is one way out. */
export function tapedeckCommand(): Command {
  const program = new Command("tapedeck")
    .description("Replays recorded model responses over SSE, byte for byte and with the recorded timing.")
    .version(version)
    .showHelpAfterError("(add --help for how to use it)")
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage or a bad environment.");
  addUpCommand(program);
  addDevCommand(program);
  addBuildCommand(program);
  addRecordCommand(program);
  addCassettesCommand(program);
  addFleetCommand(program);
  addDatabaseCommand(program);
  return program;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof ConfigError) return misused;
  return failed;
}

function overrideExits(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) overrideExits(child);
}

/** Runs the command line; gives the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = tapedeckCommand();
  overrideExits(program);
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      const isOurs = error.code === "commander.error";
      return isOurs || error.exitCode === 0 ? error.exitCode : misused;
    }
    process.stderr.write(`${(error as Error).message}\n`);
    return exitCodeOf(error);
  }
}

process.exitCode = await run(process.argv);
