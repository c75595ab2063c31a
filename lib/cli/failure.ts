import { AppError, NotConfiguredError } from "#lib/platform/errors";

/** Exit codes of the command. */
export const failed = 1;
export const misused = 2;
/** As shells have it for Ctrl-C. */
export const interrupted = 130;

/** An expected failure of a command. Its message is one clear line for the person at the terminal. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(
    message: string,
    readonly exitCode: number = failed,
  ) {
    super(message);
  }
}

/**
 * Runs a command's work. An AppError becomes a CommandFailure: exit code 2 for wrong usage, else 1. If something is not
 * configured, its message names the variables.
 */
export async function explainingFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = error.cause instanceof NotConfiguredError ? `${error.cause.message}.` : error.message;
    throw new CommandFailure(message, error.code === "bad_request" ? misused : failed);
  }
}
