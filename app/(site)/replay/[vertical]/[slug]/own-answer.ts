import { config } from "#lib/platform/config";
import { isLoopbackHost } from "#lib/platform/loopback";
import { EditError, editableText, parseCassette, readEditable } from "#lib/replay/cassettes/index";
import type { ProductContext } from "#lib/server/products";

/** Files are edited only on the machine that has them: at a loopback address, on a server that others cannot reach. */
function isOwnMachine({ origin }: ProductContext): boolean {
  const { CASSETTE_STORE, HOST } = config();
  return CASSETTE_STORE === "folder" && isLoopbackHost(HOST) && isLoopbackHost(new URL(origin).hostname);
}

/** Returns what of a cassette's answer can be edited, as text; null if it cannot be edited, or not from here. */
export async function loadAnswer(context: ProductContext, id: string): Promise<string | null> {
  const bytes = isOwnMachine(context) ? await context.catalogue.file(id) : undefined;
  if (!bytes) return null;
  try {
    return editableText(readEditable(parseCassette(bytes)));
  } catch (error) {
    if (error instanceof EditError) return null;
    throw error;
  }
}
