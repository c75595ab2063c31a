"use client";

import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Notice } from "../notice";
import { AnswerPane } from "./answer-pane";
import { EventList } from "./event-list";
import styles from "./player.module.css";
import { countUntil, type PlayerTimeline, seconds } from "./player-timeline";
import { Scrubber } from "./scrubber";
import { Transport } from "./transport";
import { writeState } from "./url-state";
import { usePlayback } from "./use-playback";
import { usePlayerKeys } from "./use-player-keys";
import { useRecording } from "./use-recording";

export type PlayerProps = {
  id: string;
  tape: PlayerTimeline;
  /** HTTP status of the recorded answer. */
  status: number;
  isTruncated: boolean;
  /** The tape as the server drew it. */
  drawing: ReactNode;
  /** The whole answer as the server wrote it: shown until the recording is there, and without a script. */
  whole: ReactNode;
  /** `page`: keys anywhere, and its state in the address; `home`: keys on its slider; `embed`: without the raw events. */
  place: "page" | "home" | "embed";
  /** Starts by itself, unless the visitor prefers less motion or was faster. */
  startsByItself: boolean;
  /** Where it stands in the beginning; null: at the start where it starts by itself, else at the end. */
  initialMs: number | null;
  initialSpeed: number;
};

const panes = [
  { id: "answer", title: "Answer" },
  { id: "events", title: "Events" },
] as const;

/** Plays a recording: the tape as the main control, the answer as it streams in, and the raw events. */
export function Player(props: PlayerProps) {
  const { id, tape, status, isTruncated, drawing, whole, place, startsByItself, initialMs, initialSpeed } = props;
  const { durationMs, atMs } = tape;
  const root = useRef<HTMLElement>(null);
  const [pane, setPane] = useState<(typeof panes)[number]["id"]>("answer");
  const playback = usePlayback({ durationMs, initialMs: initialMs ?? durationMs, initialSpeed });
  const { positionMs, isPlaying, speed, seek, pause, setSpeed, restart, play } = playback;
  const recording = useRecording({ id, status, isTruncated, chunkCount: atMs.length }, () => {
    const isTouched = isPlaying || positionMs !== (initialMs ?? durationMs);
    if (!startsByItself || isTouched || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    if (initialMs === null) restart();
    else play();
  });
  const isReady = recording.phase === "ready";
  // What the server wrote stays until the playhead leaves the end: the browser need not make the same once more.
  const [hasLeftEnd, setHasLeftEnd] = useState(false);
  if (!hasLeftEnd && positionMs < durationMs) setHasLeftEnd(true);

  const isChosen = useRef(false);
  useEffect(() => {
    if (isChosen.current && place === "page") writeState({ positionMs, speed });
    isChosen.current = false;
  });
  const onSeek = useCallback(
    (to: number) => {
      isChosen.current = true;
      seek(to);
    },
    [seek],
  );
  const onPause = () => {
    isChosen.current = true;
    pause();
  };
  const onSpeed = (chosen: number) => {
    isChosen.current = true;
    setSpeed(chosen);
  };
  usePlayerKeys({ root, isPageWide: place !== "home", tape, playback, onSeek, onPause, onSpeed });

  const chunkCount = countUntil(atMs, positionMs);
  const eventChunks = useMemo(() => (isReady ? recording.events.map(({ chunk }) => chunk) : []), [isReady, recording]);
  const eventCount = countUntil(eventChunks, chunkCount - 1);
  const time = `${seconds(positionMs)} of ${seconds(durationMs)} s`;
  const isWaiting = recording.phase === "loading" && (startsByItself || initialMs !== null);
  return (
    <section
      ref={root}
      aria-label="Player"
      className={`${styles.player} ${styles[place]}`}
      data-phase={recording.phase}
    >
      <Scrubber tape={tape} drawing={drawing} playback={playback} chunk={chunkCount - 1} onSeek={onSeek} />
      <Transport playback={playback} time={time} onPause={onPause} onSpeed={onSpeed} />
      {recording.phase === "failed" && (
        <Notice tone="error" title="The recording could not be loaded.">
          The answer below is whole; it cannot be played. Reload the page to try again.
        </Notice>
      )}
      {place === "page" && (
        <fieldset className={styles.switch}>
          <legend className="visually-hidden">Shown beside the tape</legend>
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
          showsWhole={!hasLeftEnd}
          eventCount={eventCount}
          isWhole={positionMs >= durationMs}
          isPlaying={isPlaying}
          isWaiting={isWaiting}
          whole={whole}
        />
        {place !== "embed" && (
          <div className={styles.events}>
            {isReady && <EventList events={recording.events} tape={tape} count={eventCount} onSeek={onSeek} />}
          </div>
        )}
      </div>
    </section>
  );
}
