import { notFound } from "next/navigation";
import { AppError } from "#lib/platform/errors";
import type { CassetteSummary, Catalogue, Recording } from "#lib/replay/cassettes/index";
import type { ChunkTick } from "../timeline-ticks";
import { readRecordingEvents, toTicks } from "../timeline-ticks";
import { type AnswerPart, foldAnswer } from "./fold-answer";
import { bodyEvent } from "./player-event";

/** A cassette made ready for the stage. */
export type Stage = {
  summary: CassetteSummary;
  recording: Recording;
  ticks: ChunkTick[];
  /** The whole answer. */
  parts: AnswerPart[];
};

function partsOf(recording: Recording): AnswerPart[] {
  const { status, chunks } = recording;
  if (status === 200) return foldAnswer(readRecordingEvents(recording));
  return foldAnswer([bodyEvent(Buffer.concat(chunks).toString(), { status, chunkCount: chunks.length })]);
}

/** A cassette with its tape and its answer; undefined where there is none. Throws AppError service_unavailable. */
export async function loadPlayer({ catalogue }: { catalogue: Catalogue }, id: string): Promise<Stage | undefined> {
  const [summary, recording] = [await catalogue.find(id), await catalogue.recording(id)];
  return summary && recording && { summary, recording, ticks: toTicks(recording), parts: partsOf(recording) };
}

/** The stage of a page's cassette, what failed in words, or the page that says that there is none. */
export async function loadPlayerOrNotFound(context: { catalogue: Catalogue }, id: string): Promise<Stage | AppError> {
  try {
    return (await loadPlayer(context, id)) ?? notFound();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
