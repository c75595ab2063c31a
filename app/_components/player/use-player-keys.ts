import { type RefObject, useEffect } from "react";
import type { PlayerTimeline } from "./player-timeline";
import { countUntil } from "./player-timeline";
import { stepSpeed } from "./speeds";
import type { Playback } from "./use-playback";

const stepMs = 1_000;

type Options = {
  root: RefObject<HTMLElement | null>;
  /** Also while nothing on the page has the focus: where the player is what the page is about. */
  isPageWide: boolean;
  tape: PlayerTimeline;
  playback: Playback;
  onSeek: (positionMs: number) => void;
  onPause: () => void;
  onSpeed: (speed: number) => void;
};

const controls = "button, a, input, select, textarea, summary, pre, [role=tab], [role=group]";

type Actions = Omit<Options, "root" | "isPageWide">;

/** The moment of the chunk before or after the position. */
function neighbour({ tape: { atMs }, playback: { positionMs } }: Actions, step: 1 | -1): number {
  const count = countUntil(atMs, positionMs);
  return (step === 1 ? atMs[count] : atMs[count - 2]) ?? (step === 1 ? positionMs : 0);
}

const actions: Record<string, (actions: Actions) => void> = {
  " ": ({ playback, onPause }) => (playback.isPlaying ? onPause() : playback.play()),
  ArrowLeft: ({ playback, onSeek }) => onSeek(playback.positionMs - stepMs),
  ArrowRight: ({ playback, onSeek }) => onSeek(playback.positionMs + stepMs),
  ",": (given) => given.onSeek(neighbour(given, -1)),
  ".": (given) => given.onSeek(neighbour(given, 1)),
  "<": ({ playback, onSpeed }) => onSpeed(stepSpeed(playback.speed, -1)),
  ">": ({ playback, onSpeed }) => onSpeed(stepSpeed(playback.speed, 1)),
};
const sliderActions: typeof actions = {
  Home: ({ onSeek }) => onSeek(0),
  End: ({ tape, onSeek }) => onSeek(tape.durationMs),
};

/** Keys of the player: on its slider, and anywhere on the page where the player is the page. */
export function usePlayerKeys({ root, isPageWide, ...given }: Options): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const target = event.target as Element;
      const isSlider = target.getAttribute("role") === "slider" && root.current?.contains(target);
      const isFree = isPageWide && target === document.body;
      if (!isSlider && !isFree && !(root.current?.contains(target) && !target.closest(controls))) return;
      const action = actions[event.key] ?? (isSlider ? sliderActions[event.key] : undefined);
      if (!action) return;
      event.preventDefault();
      action(given);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
}
