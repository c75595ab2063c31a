import { type ComponentType, useEffect, useState } from "react";
import type { AnswerPart } from "./fold-answer";
import { loadRecording, type RecordingSource } from "./load-recording";
import type { PlayedEvent } from "./played-event";

export type ReadyRecording = {
  phase: "ready";
  events: readonly PlayedEvent[];
  Answer: ComponentType<{ parts: readonly AnswerPart[] }>;
  foldAnswer: (events: readonly PlayedEvent[], count: number) => AnswerPart[];
};

export type LoadedRecording = { phase: "loading" } | { phase: "failed" } | ReadyRecording;

/** Loads a recording's events, and beside them the code that shows answers, which the first paint has no use for. */
export function useRecording({ id, status, isTruncated, chunkCount }: RecordingSource): LoadedRecording {
  const [recording, setRecording] = useState<LoadedRecording>({ phase: "loading" });
  useEffect(() => {
    const controller = new AbortController();
    const load = async () => {
      const [{ Answer }, { foldAnswer }, events] = await Promise.all([
        import("./answer"),
        import("./fold-answer"),
        loadRecording({ id, status, isTruncated, chunkCount }, controller.signal),
      ]);
      setRecording({ phase: "ready", events, Answer, foldAnswer });
    };
    load().catch(() => {
      if (!controller.signal.aborted) setRecording({ phase: "failed" });
    });
    return () => controller.abort();
  }, [id, status, isTruncated, chunkCount]);
  return recording;
}
