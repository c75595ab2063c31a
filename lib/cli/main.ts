import { type Command, CommanderError } from "commander";
import { ConfigError } from "#lib/platform/config";
import { CommandFailure, failed, misused } from "./failure";
import { tapedeckCommand } from "./program";

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof ConfigError) return misused;
  return failed;
}

function overrideExits(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) overrideExits(child);
}

/** Runs the command line; gives the exit code. commander's own exits become exceptions, so that there is one way out. */
async function run(argv: readonly string[]): Promise<number> {
  const program = await tapedeckCommand(argv[2]);
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

// A reader such as `head` that has seen enough is no failure.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : failed));
process.exitCode = await run(process.argv);
