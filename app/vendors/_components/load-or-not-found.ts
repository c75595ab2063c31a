import { notFound } from "next/navigation";
import { AppError } from "#lib/platform/errors";

/** What a verb gave, or the message of why it could not. */
export type Answer<T> = { found: T } | { message: string };

/** Asks a verb. What there is not becomes the site's 404; an error that a reader can understand becomes its message. */
export async function ask<T>(verb: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { found: await verb() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "not_found") notFound();
    return { message: error.message };
  }
}
