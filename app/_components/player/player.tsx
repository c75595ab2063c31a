"use client";

import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Notice } from "../notice";
import { AnswerPane } from "./answer-pane";
import { EventList } from "./event-list";
import styles from "./player.module.css";
import { countUntil, formatSeconds, type PlayerTimeline } from "./player-timeline";
import { Scrubber } from "./scrubber";
import { ShareMoment } from "./share-moment";
import { Transport } from "./transport";
import { writeUrlState } from "./url-state";
import { usePlayback } from "./use-playback";
import { usePlayerKeys } from "./use-player-keys";
import { type ReadyRecording, useRecording } from "./use-recording";

export type PlayerProps = {
  id: string;
  /** Name of the provider's protocol. */
  provider: string;
  timeline: PlayerTimeline;
  /** HTTP status of the recorded response. */
  status: number;
  isTruncated: boolean;
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
  // The server-rendered answer stays until the playhead leaves the end, so that the browser need not render it again. An
  // embedded player also shows its beginning before it plays.
  const [showsCompleteAnswer, setShowsCompleteAnswer] = useState(true);
  const isBeforePlay = placement === "embed" && !autoplay && positionMs === 0 && !isPlaying;
  if (showsCompleteAnswer && positionMs < durationMs && !isBeforePlay) setShowsCompleteAnswer(false);

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
  const isWaiting = recording.phase === "loading" && (autoplay || (initialMs !== null && !isBeforePlay));
  return (
    <section
      ref={root}
      aria-label="Player"
      className={`${styles.player} ${styles[placement === "file" ? "page" : placement]}`}
      data-phase={recording.phase}
    >
      <Scrubber timeline={timeline} drawing={drawing} playback={playback} chunk={chunkCount - 1} onSeek={onSeek} />
      <Transport playback={playback} time={time} onPause={onPause} onSpeed={onSpeed}>
        {placement === "page" && <ShareMoment position={playback.position} speed={speed} />}
      </Transport>
      {recording.phase === "failed" && (
        <Notice tone="error" title="Couldn’t load the cassette.">
          The complete answer is below, but it can’t be played. Reload the page to try again.
        </Notice>
      )}
      {(placement === "page" || placement === "file") && (
        <fieldset className={styles.switch}>
          <legend className="visually-hidden">View</legend>
          {panes.map(({ id: name, title }) => (
            <button key={name} type="button" aria-pressed={pane === name} onClick={() => setPane(name)}>
              {title}
            </button>
          ))}
        </fieldset>
      )}
      <div className={styles.panes} data-pane={pane}>
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
          <div className={styles.events}>
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
