import { notFound } from "next/navigation";
import { AppError } from "#lib/platform/errors";

/** The data of a page, or the message of why it could not be loaded. */
export type Loaded<T> = { data: T } | { message: string };

/** Loads the data of a page. Shows the 404 page if it does not exist, and returns the message of other AppErrors. */
export async function loadOrNotFound<T>(load: () => Promise<T>): Promise<Loaded<T>> {
  try {
    return { data: await load() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "not_found") notFound();
    return { message: error.message };
  }
}
