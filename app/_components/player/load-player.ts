import { notFound } from "next/navigation";
import { AppError } from "#lib/platform/errors";
import { type CassetteSummary, type Catalogue, type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import { type ChunkTick, toTicks } from "../timeline-ticks";
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

/** Loads a cassette for a page. Returns the error if it failed, and shows the 404 page if it does not exist. */
export async function loadPlayerOrNotFound(
  context: { catalogue: Catalogue },
  id: string,
): Promise<PlayerData | AppError> {
  try {
    return (await loadPlayer(context, id)) ?? notFound();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
