import { type ComponentType, startTransition, useEffect, useEffectEvent, useState } from "react";
import type { AnswerPart } from "./fold-answer";
import { loadRecording, type RecordingSource } from "./load-recording";
import type { PlayerEvent } from "./player-event";

export type ReadyRecording = {
  phase: "ready";
  events: readonly PlayerEvent[];
  Answer: ComponentType<{ parts: readonly AnswerPart[] }>;
  foldAnswer: (events: readonly PlayerEvent[], count: number) => AnswerPart[];
};

export type LoadedRecording = { phase: "loading" } | { phase: "failed" } | ReadyRecording;

/**
 * Loads a recording's events, and beside them the code that shows answers, which the first paint has no use for. What
 * `onReady` sets is drawn together with the recording, in steps that leave the browser time for its reader.
 */
export function useRecording(source: RecordingSource, onReady: () => void): LoadedRecording {
  const { id, status, isTruncated, chunkCount } = source;
  const [recording, setRecording] = useState<LoadedRecording>({ phase: "loading" });
  const begin = useEffectEvent(onReady);
  useEffect(() => {
    const controller = new AbortController();
    const load = async () => {
      const [{ Answer }, { foldAnswer }, events] = await Promise.all([
        import("./answer"),
        import("./fold-answer"),
        loadRecording({ id, status, isTruncated, chunkCount }, controller.signal),
      ]);
      startTransition(() => {
        setRecording({ phase: "ready", events, Answer, foldAnswer });
        begin();
      });
    };
    load().catch(() => {
      if (!controller.signal.aborted) setRecording({ phase: "failed" });
    });
    return () => controller.abort();
  }, [id, status, isTruncated, chunkCount]);
  return recording;
}
