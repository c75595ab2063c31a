import type { z } from "zod";

/** A tool as it is declared beside its domain; both the name and the texts are for models to read. */
export type Tool<Context, Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** snake_case, verb and noun. */
  name: string;
  title: string;
  description: string;
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
