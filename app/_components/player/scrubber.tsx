import { type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { describeChunk, nearestChunk, type PlayerTimeline, seconds } from "./player-timeline";
import styles from "./scrubber.module.css";
import type { Playback } from "./use-playback";

type Props = {
  tape: PlayerTimeline;
  /** The tape as the server drew it. */
  drawing: ReactNode;
  playback: Playback;
  /** Number of the chunk that came last. */
  chunk: number;
  /** A position was chosen by hand. */
  onSeek: (positionMs: number) => void;
};

/** Share of the drawing's width that lies outside of its first and last tick, on each side. */
const margin = 2 / 1_200;

/** Moves a line to its moment. On the element itself: a custom property would have the whole tape styled anew. */
function place(line: HTMLElement | null, positionMs: number, durationMs: number): void {
  const share = durationMs > 0 ? positionMs / durationMs : 0;
  if (line) line.style.transform = `translateX(${(margin + share * (1 - 2 * margin)) * 100}%)`;
}

/** The tape as a slider: the pointer scrubs on it, and what a tick brought is read below. */
export function Scrubber({ tape, drawing, playback, chunk, onSeek }: Props) {
  const { durationMs, atMs } = tape;
  const { positionMs, position, isPlaying } = playback;
  const ahead = useRef<HTMLSpanElement>(null);
  const playhead = useRef<HTMLSpanElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  useLayoutEffect(() => {
    const move = (toMs: number) => {
      for (const { current } of [ahead, playhead]) place(current, toMs, durationMs);
    };
    move(positionMs);
    if (!isPlaying) return;
    const follow = () => {
      move(position.current);
      frame = requestAnimationFrame(follow);
    };
    let frame = requestAnimationFrame(follow);
    return () => cancelAnimationFrame(frame);
  }, [positionMs, isPlaying, position, durationMs]);
  useLayoutEffect(() => {
    if (hovered !== null) place(mark.current, atMs[hovered] ?? 0, durationMs);
  }, [hovered, atMs, durationMs]);

  const momentOf = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(durationMs, Math.max(0, ((event.clientX - left) / width) * durationMs));
  };
  const press = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    onSeek(momentOf(event));
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const moment = momentOf(event);
    setHovered(nearestChunk(atMs, moment));
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onSeek(moment);
  };
  return (
    <div>
      <div
        role="slider"
        tabIndex={0}
        aria-label="Position in the recording"
        aria-valuemin={0}
        aria-valuemax={Number(seconds(durationMs, 3))}
        aria-valuenow={Number(seconds(positionMs))}
        aria-valuetext={`${seconds(positionMs)} of ${seconds(durationMs)} seconds, ${describeChunk(tape, chunk)}`}
        aria-keyshortcuts="ArrowLeft ArrowRight Home End"
        className={styles.scrubber}
        onPointerDown={press}
        onPointerMove={move}
        onPointerLeave={() => setHovered(null)}
      >
        {drawing}
        <span ref={ahead} className={styles.ahead} />
        {hovered !== null && <span ref={mark} className={styles.hovered} />}
        <span ref={playhead} className={styles.playhead} />
      </div>
      <p className={styles.readout} aria-hidden="true">
        {describeChunk(tape, hovered ?? chunk)}
      </p>
    </div>
  );
}
