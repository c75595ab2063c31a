"use server";

import { revalidatePath } from "next/cache";
import { headers } from "next/headers";
import { AppError } from "#lib/platform/errors";
import { EditError, editedFile, WriteError } from "#lib/replay/cassettes/index";
import { getPageContext } from "../../../../_components/page-context";
import { loadAnswer } from "./own-answer";

/** What came of an edit, and the text that was sent. */
export type Edited = { text: string; error?: string; isSaved?: true };

/** Saves the answer of a cassette as somebody edited it. */
export async function saveAnswer(_previous: Edited, form: FormData): Promise<Edited> {
  // Browsers send line breaks of forms as CRLF.
  const [id = "", version, text = ""] = ["id", "version", "text"].map((name) =>
    String(form.get(name)).replaceAll("\r\n", "\n"),
  );
  const context = await getPageContext();
  // Browsers name the page that sends a form.
  const isOwnPage = (await headers()).get("origin") === context.origin;
  const current = isOwnPage ? await loadAnswer(context, id) : null;
  if (current === null) return { text, error: "Answers can be edited only on the machine that has their files." };
  try {
    if (version !== current.version)
      return { text, error: "The recording was changed meanwhile. Copy your text, and load the page again." };
    const edited = editedFile(current.recording, text, new Date());
    if (edited) await context.catalogue.replace(id, edited);
    revalidatePath(`/replay/${id}`);
    return { text, isSaved: true };
  } catch (error) {
    if (error instanceof EditError || error instanceof WriteError || error instanceof AppError)
      return { text, error: error.message };
    throw error;
  }
}
