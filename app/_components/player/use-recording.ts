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
 * Loads a cassette's events, and the code that renders answers, which the first paint does not need. State that `onReady`
 * sets is rendered together with the events, in a transition that keeps the page responsive.
 */
export function useRecording(source: RecordingSource, onReady: () => void): LoadedRecording {
  const { id, status, isTruncated, chunkCount } = source;
  const [recording, setRecording] = useState<LoadedRecording>({ phase: "loading" });
  const notifyReady = useEffectEvent(onReady);
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
        notifyReady();
      });
    };
    load().catch(() => {
      if (!controller.signal.aborted) setRecording({ phase: "failed" });
    });
    return () => controller.abort();
  }, [id, status, isTruncated, chunkCount]);
  return recording;
}
