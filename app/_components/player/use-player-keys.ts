import { type RefObject, useEffect } from "react";
import type { PlayerTimeline } from "./player-timeline";
import { countUntil } from "./player-timeline";
import { stepSpeed } from "./speeds";
import type { Playback } from "./use-playback";

const stepMs = 1_000;

type Options = {
  root: RefObject<HTMLElement | null>;
  /** Whether shortcuts also work while nothing on the page has the focus. */
  isPageWide: boolean;
  timeline: PlayerTimeline;
  playback: Playback;
  onSeek: (positionMs: number) => void;
  onPause: () => void;
  onSpeed: (speed: number) => void;
};

const controls = "button, a, input, select, textarea, summary, pre, [role=tab], [role=group]";

type Actions = Omit<Options, "root" | "isPageWide">;

/** Returns the time of the chunk before or after the position. */
function adjacentChunkMs({ timeline: { atMs }, playback: { positionMs } }: Actions, step: 1 | -1): number {
  const count = countUntil(atMs, positionMs);
  return (step === 1 ? atMs[count] : atMs[count - 2]) ?? (step === 1 ? positionMs : 0);
}

const actions: Record<string, (actions: Actions) => void> = {
  " ": ({ playback, onPause }) => (playback.isPlaying ? onPause() : playback.play()),
  ArrowLeft: ({ playback, onSeek }) => onSeek(playback.positionMs - stepMs),
  ArrowRight: ({ playback, onSeek }) => onSeek(playback.positionMs + stepMs),
  ",": (options) => options.onSeek(adjacentChunkMs(options, -1)),
  ".": (options) => options.onSeek(adjacentChunkMs(options, 1)),
  "<": ({ playback, onSpeed }) => onSpeed(stepSpeed(playback.speed, -1)),
  ">": ({ playback, onSpeed }) => onSpeed(stepSpeed(playback.speed, 1)),
};
const sliderActions: typeof actions = {
  Home: ({ onSeek }) => onSeek(0),
  End: ({ timeline, onSeek }) => onSeek(timeline.durationMs),
};

/** Keyboard shortcuts of the player: on its slider, and with `isPageWide` anywhere on the page. */
export function usePlayerKeys({ root, isPageWide, ...options }: Options): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const target = event.target as Element;
      const isSlider = target.getAttribute("role") === "slider" && root.current?.contains(target);
      const isUnfocused = isPageWide && target === document.body;
      if (!isSlider && !isUnfocused && !(root.current?.contains(target) && !target.closest(controls))) return;
      const action = actions[event.key] ?? (isSlider ? sliderActions[event.key] : undefined);
      if (!action) return;
      event.preventDefault();
      action(options);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}
