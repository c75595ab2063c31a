import { AppError, type ErrorCode } from "#lib/platform/errors";

/** Gives errors of some codes another message: what to do is another thing for a tool's caller than for one of HTTP. */
export async function withRecoveryHint<Value>(
  work: Promise<Value>,
  mends: Partial<Record<ErrorCode, string>>,
): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const mend = error instanceof AppError ? mends[error.code] : undefined;
    if (mend === undefined) throw error;
    throw new AppError((error as AppError).code, mend, { cause: error });
  }
}
