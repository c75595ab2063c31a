import type { z } from "zod";
import { AppError, type ErrorCode } from "#lib/platform/errors";

/** What a tool does to the world, as clients show it to people before they allow a call. */
export type ToolAnnotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

/** Reads what this service holds and changes nothing. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Most characters of text in one result: about 6,000 tokens with the structure around it. What is longer goes on with
 * a cursor.
 */
export const maxResultLength = 18_000;

/** A tool as it is declared beside its domain; both the name and the texts are for models to read. */
export type Tool<Context, Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** snake_case, verb and noun. */
  name: string;
  title: string;
  /** What it gives, when to use it and when not, and an example of its arguments. */
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  /** Gives the structured result. An AppError becomes a result with `isError` that says what to do. */
  run: (context: Context, input: z.output<Input>) => Promise<z.input<Output>>;
};

/** Keeps the literal types of a declaration. */
export function defineTool<Context, Input extends z.ZodType, Output extends z.ZodType>(
  tool: Tool<Context, Input, Output>,
): Tool<Context, Input, Output> {
  return tool;
}

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
