import type { z } from "zod";
import { AppError } from "#lib/platform/errors";
import { revealRequestSchema } from "./schemas";

const formType = /^application\/x-www-form-urlencoded\b/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_request", "The body is neither JSON nor a form.", { cause });
  }
}

/** Whether a form asks, which wants a page. */
export function isFormBody(header: (name: string) => string | null): boolean {
  return formType.test(header("content-type") ?? "");
}

/** Reads the body of a form or of JSON. Throws AppError bad_request. */
export function parseRevealRequest(rawBody: Uint8Array, isForm: boolean): z.infer<typeof revealRequestSchema> {
  const text = new TextDecoder().decode(rawBody);
  const given = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  const result = revealRequestSchema.safeParse(given);
  if (result.success) return result.data;
  throw new AppError("bad_request", `Body field "session_id" ${result.error.issues[0]?.message}.`);
}
