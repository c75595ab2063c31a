import { AppError } from "#lib/platform/errors";
import { type Catalogue, foldMessage, type RecordedEvent, readEvents } from "#lib/replay/cassettes/index";

type ReadContext = { catalogue: Catalogue };

/** Every event of a cassette, with its times. Throws AppError not_found and service_unavailable. */
export async function readRecordedEvents({ catalogue }: ReadContext, id: string): Promise<RecordedEvent[]> {
  const recording = await catalogue.recording(id);
  if (!recording) throw new AppError("not_found", `There is no cassette ${id}. Call list_cassettes for the ids.`);
  const { chunks, dueMs } = recording;
  return readEvents(chunks.map((bytes, index) => ({ bytes, deltaMs: (dueMs[index] ?? 0) - (dueMs[index - 1] ?? 0) })));
}

/** All that the model says in a cassette: of long answers the catalogue keeps the beginning alone. */
export async function readWholeText(context: ReadContext, id: string): Promise<string> {
  const { message } = foldMessage(await readRecordedEvents(context, id));
  const blocks: unknown[] = Array.isArray(message?.content) ? message.content : [];
  return blocks
    .map((block) => (block as { text?: unknown }).text)
    .filter((text) => typeof text === "string")
    .join("");
}
