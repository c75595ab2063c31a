import { type Command, CommanderError } from "commander";
import { ConfigError, withEnvironment } from "#lib/platform/config";
import { AppError, NotConfiguredError } from "#lib/platform/errors";
import { dataFolderProblem } from "./data-folder";
import { CommandFailure, failed, misused } from "./failure";
import type { CommandIo } from "./io";
import { tapedeckCommand } from "./program";

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  const isMisuse = error instanceof ConfigError || (error instanceof AppError && error.code === "bad_request");
  return isMisuse ? misused : failed;
}

/** Returns what to print of an error. If something is not configured, it names the variables. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const problem = dataFolderProblem(error);
  if (problem) return problem;
  return cause instanceof NotConfiguredError ? `${cause.message}.` : message;
}

/** Makes commander throw instead of ending the process, and write to `io`. */
function redirect(command: Command, { stdout, stderr }: CommandIo): void {
  command.exitOverride();
  command.configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  for (const child of command.commands) redirect(child, { stdout, stderr });
}

type RunOptions = CommandIo & {
  /** Instead of the environment of the process. */
  environment?: Record<string, string | undefined>;
};

/** Runs the command line with these arguments (without `node` and the script). Returns the exit code. */
export async function run(args: readonly string[], { environment, ...io }: RunOptions): Promise<number> {
  const [word = "", helpOn = ""] = args;
  const program = await tapedeckCommand(io, word === "help" ? helpOn : word);
  redirect(program, io);
  const inEnvironment = <T>(work: () => T) => (environment ? withEnvironment(environment, work) : work());
  try {
    await inEnvironment(() => program.parseAsync(args, { from: "user" }));
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      const isOurs = error.code === "commander.error";
      return isOurs || error.exitCode === 0 ? error.exitCode : misused;
    }
    const message = inEnvironment(() => messageOf(error));
    if (message !== "") io.stderr.write(`${message}\n`);
    return exitCodeOf(error);
  }
}
