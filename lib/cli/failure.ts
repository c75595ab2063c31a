/** Exit codes of the command. */
export const failed = 1;
export const misused = 2;
/** A server that was asked did not answer as it should. */
export const noAnswer = 3;
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
