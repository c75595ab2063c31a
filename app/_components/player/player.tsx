"use client";

import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { CopyButton } from "../copy-button";
import { Notice } from "../page-parts";
import { AnswerPane } from "./answer-pane";
import { EventList } from "./event-list";
import styles from "./player.module.css";
import { countUntil, formatSeconds, type PlayerTimeline } from "./player-timeline";
import { Scrubber } from "./scrubber";
import { Transport } from "./transport";
import { stepSpeed, urlOfState, writeUrlState } from "./url-state";
import { type Playback, usePlayback } from "./use-playback";
import { type ReadyRecording, useRecording } from "./use-recording";

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
function usePlayerKeys({ root, isPageWide, ...options }: Options): void {
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

/** Returns the address of the page at a position, paused. */
function shareUrl(positionMs: number, speed: number): string {
  const url = urlOfState(location.href, positionMs, speed);
  url.searchParams.delete("autoplay");
  url.hash = "";
  return url.href;
}

/** Copies the address of the page at the playhead's position. */
function ShareMoment({ position, speed }: { position: RefObject<number>; speed: number }) {
  return <CopyButton text={() => shareUrl(position.current, speed)} label="to this moment" idleText="Copy link" />;
}

export type PlayerProps = {
  id: string;
  /** Name of the provider's protocol. */
  provider: string;
  timeline: PlayerTimeline;
  /** HTTP status of the recorded response. */
  status: number;
  isTruncated: boolean;
  /** Says how the response ended, for screen readers. */
  endText: string;
  /** The timeline, rendered on the server. */
  drawing: ReactNode;
  /** The complete answer, rendered on the server: shown until the events are loaded, and without JavaScript. */
  completeAnswer: ReactNode;
  /** `page`: shortcuts work anywhere and the URL keeps the state; `home`: shortcuts work on the slider; `embed`: no raw events; `file`: as `page`, without a URL. */
  placement: "page" | "home" | "embed" | "file";
  /** Starts playing when loaded, unless the user prefers reduced motion or has already used the player. */
  autoplay: boolean;
  /** Initial position; null: the start with autoplay, otherwise the end. */
  initialMs: number | null;
  initialSpeed: number;
  /** The recording, if it is not loaded from this site. */
  loaded?: ReadyRecording;
};

const panes = [
  { id: "answer", title: "Answer" },
  { id: "events", title: "Events" },
] as const;

/** Plays a cassette: the timeline as the main control, the answer as it streams in, and the raw events. */
export function Player(props: PlayerProps) {
  const {
    id,
    provider,
    timeline,
    status,
    isTruncated,
    endText,
    drawing,
    completeAnswer,
    placement,
    autoplay,
    initialMs,
    initialSpeed,
    loaded,
  } = props;
  const { durationMs, atMs } = timeline;
  const root = useRef<HTMLElement>(null);
  const [pane, setPane] = useState<(typeof panes)[number]["id"]>("answer");
  const playback = usePlayback({ durationMs, initialMs: initialMs ?? durationMs, initialSpeed });
  const { positionMs, isPlaying, speed, seek, pause, setSpeed, restart, play } = playback;
  const recording = useRecording({ id, provider, status, isTruncated, byteSizes: timeline.byteSizes, loaded }, () => {
    const wasUsed = isPlaying || positionMs !== (initialMs ?? durationMs);
    if (!autoplay || wasUsed || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    if (initialMs === null) restart();
    else play();
  });
  const isReady = recording.phase === "ready";
  // Nothing is announced before the player is used.
  const [hasPlayed, setHasPlayed] = useState(false);
  if (isPlaying && !hasPlayed) setHasPlayed(true);
  const stopText = positionMs < durationMs ? "Paused" : endText;
  // The server-rendered answer stays until the playhead leaves the end, so that the browser need not render it again.
  const [showsCompleteAnswer, setShowsCompleteAnswer] = useState(true);
  if (showsCompleteAnswer && positionMs < durationMs) setShowsCompleteAnswer(false);

  const isUserAction = useRef(false);
  useEffect(() => {
    if (isUserAction.current && placement === "page") writeUrlState({ positionMs, speed });
    isUserAction.current = false;
  });
  const onSeek = useCallback(
    (to: number) => {
      isUserAction.current = true;
      seek(to);
    },
    [seek],
  );
  const onPause = () => {
    isUserAction.current = true;
    pause();
  };
  const onSpeed = (chosen: number) => {
    isUserAction.current = true;
    setSpeed(chosen);
  };
  usePlayerKeys({ root, isPageWide: placement !== "home", timeline, playback, onSeek, onPause, onSpeed });

  const chunkCount = countUntil(atMs, positionMs);
  const eventChunks = useMemo(() => (isReady ? recording.events.map(({ chunk }) => chunk) : []), [isReady, recording]);
  const eventCount = countUntil(eventChunks, chunkCount - 1);
  const time = `${formatSeconds(positionMs)} of ${formatSeconds(durationMs)} s`;
  const isWaiting = recording.phase === "loading" && (autoplay || initialMs !== null);
  return (
    <section
      ref={root}
      aria-label="Player"
      className={`stack tight ${styles[placement === "file" ? "page" : placement]}`}
      data-phase={recording.phase}
    >
      <Scrubber timeline={timeline} drawing={drawing} playback={playback} chunk={chunkCount - 1} onSeek={onSeek} />
      <Transport playback={playback} time={time} onPause={onPause} onSpeed={onSpeed}>
        {placement === "page" && <ShareMoment position={playback.position} speed={speed} />}
      </Transport>
      <p role="status" className="visually-hidden">
        {hasPlayed && (isPlaying ? "Playing" : stopText)}
      </p>
      {recording.phase === "failed" && (
        <Notice tone="error" title="Couldn’t load the cassette.">
          The complete answer is below, but it can’t be played. Reload the page to try again.
        </Notice>
      )}
      {(placement === "page" || placement === "file") && (
        <fieldset className={`${styles.switch} scripted`}>
          <legend className="visually-hidden">View</legend>
          {panes.map(({ id: name, title }) => (
            <button key={name} type="button" aria-pressed={pane === name} onClick={() => setPane(name)}>
              {title}
            </button>
          ))}
        </fieldset>
      )}
      <div className={`${styles.panes} panel`} data-pane={pane}>
        <AnswerPane
          recording={recording}
          showsCompleteAnswer={showsCompleteAnswer}
          eventCount={eventCount}
          isComplete={positionMs >= durationMs}
          isPlaying={isPlaying}
          isWaiting={isWaiting}
          completeAnswer={completeAnswer}
        />
        {placement !== "embed" && (
          <div className={`${styles.events} scripted`}>
            {isReady && (
              <EventList
                provider={recording.provider}
                events={recording.events}
                timeline={timeline}
                count={eventCount}
                onSeek={onSeek}
              />
            )}
          </div>
        )}
      </div>
    </section>
  );
}
