import { config } from "#lib/platform/config";
import { isLoopbackHost } from "#lib/platform/loopback";
import {
  EditError,
  editableText,
  parseCassette,
  readEditable,
  type VerifiedCassette,
} from "#lib/replay/cassettes/index";
import type { ProductContext } from "#lib/server/products";

/** Files are edited only on the machine that has them: at a loopback address, on a server that others cannot reach. */
function isOwnMachine({ origin }: ProductContext): boolean {
  const { CASSETTE_STORE, HOST } = config();
  return CASSETTE_STORE === "folder" && isLoopbackHost(HOST) && isLoopbackHost(new URL(origin).hostname);
}

/** A recording whose answer can be edited, and the answer as text. `version` changes with the answer. */
export type OwnAnswer = { recording: VerifiedCassette; text: string; version: string };

/** Returns the answer of a cassette that can be edited; null if it cannot be, or not from here. */
export async function loadAnswer(context: ProductContext, id: string): Promise<OwnAnswer | null> {
  const bytes = isOwnMachine(context) ? await context.catalogue.file(id) : undefined;
  if (!bytes) return null;
  const recording = parseCassette(bytes);
  try {
    const text = editableText(readEditable(recording));
    return { recording, text, version: recording.cassette.integrity.body_sha256 };
  } catch (error) {
    if (error instanceof EditError) return null;
    throw error;
  }
}
