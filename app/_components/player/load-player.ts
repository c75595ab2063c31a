import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  type Catalogue,
  cassetteIdSchema,
  type Recording,
  readRecordingEvents,
} from "#lib/replay/cassettes/index";
import type { ChunkTick } from "../chunk-ticks";
import { type Loaded, loadPageData } from "../load-data";
import { toTicks } from "../timeline-ticks";
import { type AnswerPart, foldAnswer } from "./fold-answer";
import { bodyEvent } from "./player-event";

/** A cassette with the data that the player needs. */
export type PlayerData = {
  summary: CassetteSummary;
  recording: Recording;
  ticks: readonly ChunkTick[];
  /** The complete answer. */
  parts: AnswerPart[];
};

function toAnswerParts(recording: Recording): AnswerPart[] {
  const { status, chunks } = recording;
  const { provider } = recording;
  if (status === 200) return foldAnswer(provider, readRecordingEvents(recording));
  return foldAnswer(provider, [bodyEvent(Buffer.concat(chunks).toString(), { status, chunkCount: chunks.length })]);
}

/** Loads a cassette for the player; undefined if it does not exist. Throws AppError service_unavailable. */
export async function loadPlayer({ catalogue }: { catalogue: Catalogue }, id: string): Promise<PlayerData | undefined> {
  const [summary, recording] = [await catalogue.find(id), await catalogue.recording(id)];
  return summary && recording && { summary, recording, ticks: toTicks(recording), parts: toAnswerParts(recording) };
}

/**
 * Loads a cassette for its page or its embedded player. Sets the status of the page to 404 if it does not exist, and to 503
 * if the store of the cassettes does not answer.
 */
export function loadPlayerPage(context: { catalogue: Catalogue }, id: string): Promise<Loaded<PlayerData>> {
  return loadPageData(async () => {
    const { success } = cassetteIdSchema.safeParse(id);
    const data = success && (await loadPlayer(context, id));
    if (!data) throw new AppError("not_found", `There is no cassette "${id}".`);
    return data;
  });
}
