import { AppError } from "#lib/platform/errors";
import { CommandFailure, failed, misused } from "./failure";

/** An error that the caller can mend, as a failure of the command: 2 for wrong usage, else 1. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  return new CommandFailure(error.message, error.code === "bad_request" ? misused : failed);
}

/** Runs a command's work, its errors as failures of the command. */
export async function explainingFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}
