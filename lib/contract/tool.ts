import type * as z from "zod";
import { AppError, type ErrorCode } from "#lib/platform/errors";

/** The side effects of a tool, which clients show to users before they allow a call. */
type ToolAnnotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

/** Annotations of a tool that reads data of this service and changes nothing. */
export const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Most characters of text in one result: about 6,000 tokens with its structure. Longer results are paged by cursor. */
export const maxResultLength = 18_000;

/** The declaration of an MCP tool. Its name and texts are read by models. */
export type Tool<Context, Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** snake_case, a verb and a noun. */
  name: string;
  title: string;
  /** What it returns, when to use it and when not, and an example of its arguments. */
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  /** The endpoint that has the same without a key, such as `GET /api/v1/models`. */
  freeAt?: string;
  /** Names that arguments had before, and may still be called by. */
  formerNames?: Readonly<Record<string, string>>;
  output: Output;
  /** Returns the structured result. An AppError becomes a result with `isError` that says what to do. */
  run: (context: Context, input: z.output<Input>) => Promise<z.input<Output>>;
};

/** Returns the declaration unchanged, with its literal types. */
export function defineTool<Context, Input extends z.ZodType, Output extends z.ZodType>(
  tool: Tool<Context, Input, Output>,
): Tool<Context, Input, Output> {
  return tool;
}

/** Replaces the messages of errors by code: the way to recover differs between a tool's caller and an HTTP client. */
export async function withRecoveryHint<Value>(
  work: Promise<Value>,
  hints: Partial<Record<ErrorCode, string | ((message: string) => string)>>,
): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = hints[error.code];
    if (hint === undefined) throw error;
    throw new AppError(error.code, typeof hint === "string" ? hint : hint(error.message), { cause: error });
  }
}
