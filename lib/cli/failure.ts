/** Exit codes of the command. */
export const failed = 1;
export const misused = 2;

/** A command could not do its work; the message is one clear line for the person at the terminal. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(
    message: string,
    readonly exitCode: number = failed,
  ) {
    super(message);
  }
}
