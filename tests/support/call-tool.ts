import { expect } from "vitest";
import type * as z from "zod";
import { maxResultLength, type Tool } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";

/**
 * Calls a tool as the endpoints do. The result must match its schema exactly, without further fields, and stay within
 * the maximum length of a result.
 */
export async function callTool<Context, Input extends z.ZodType, Output extends z.ZodType>(
  tool: Tool<Context, Input, Output>,
  context: Context,
  input: unknown,
): Promise<z.output<Output>> {
  const result = await tool.run(context, tool.input.parse(input));
  const parsed = tool.output.parse(result);
  expect(parsed).toEqual(result);
  expect(JSON.stringify(result).length).toBeLessThanOrEqual(maxResultLength);
  return parsed;
}

/** Returns all pages of a tool's results, following the cursor until it is null. */
export async function walkTool<Context, Input extends z.ZodType, Output extends z.ZodType<Paged>>(
  tool: Tool<Context, Input, Output>,
  context: Context,
  input: object = {},
): Promise<z.output<Output>[]> {
  const pages: z.output<Output>[] = [];
  let cursor: string | null = null;
  do {
    const page: z.output<Output> = await callTool(tool, context, { ...input, ...(cursor && { cursor }) });
    pages.push(page);
    cursor = page.next_cursor;
    expect(pages.length).toBeLessThan(10_000);
  } while (cursor !== null);
  return pages;
}

type Paged = { next_cursor: string | null };

/** Returns "accepted", or the code and message of an error as one text. */
export function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "accepted",
    ({ code, message }) => `${code}: ${message}`,
  );
}

/** Returns code and message of the `AppError` with which a call is rejected. Other errors are rethrown. */
export async function refusalOf(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, message: error.message };
  }
  throw new Error("The call succeeded.");
}
