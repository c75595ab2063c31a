import { type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { describeChunk, formatSeconds, nearestChunk, type PlayerTimeline } from "./player-timeline";
import styles from "./scrubber.module.css";
import type { Playback } from "./use-playback";

type Props = {
  timeline: PlayerTimeline;
  /** The timeline, rendered on the server. */
  drawing: ReactNode;
  playback: Playback;
  /** Number of the latest chunk. */
  chunk: number;
  /** Called when the user chooses a position. */
  onSeek: (positionMs: number) => void;
};

/** Share of the drawing's width outside its first and last tick, on each side. */
const margin = 2 / 1_200;

/** Moves a line to a position. It sets the transform directly: a custom property would restyle the whole timeline. */
function moveLine(line: HTMLElement | null, positionMs: number, durationMs: number): void {
  const share = durationMs > 0 ? positionMs / durationMs : 0;
  if (line) line.style.transform = `translateX(${(margin + share * (1 - 2 * margin)) * 100}%)`;
}

/** The timeline as a slider, with a description of the chunk under the pointer. */
export function Scrubber({ timeline, drawing, playback, chunk, onSeek }: Props) {
  const { durationMs, atMs } = timeline;
  const { positionMs, position, isPlaying } = playback;
  const remaining = useRef<HTMLSpanElement>(null);
  const playhead = useRef<HTMLSpanElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  const hasEnded = !isPlaying && positionMs >= durationMs;
  const [hovered, setHovered] = useState<number | null>(null);
  useLayoutEffect(() => {
    const move = (toMs: number) => {
      for (const { current } of [remaining, playhead]) moveLine(current, toMs, durationMs);
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
    if (hovered !== null) moveLine(mark.current, atMs[hovered] ?? 0, durationMs);
  }, [hovered, atMs, durationMs]);

  const findPosition = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(durationMs, Math.max(0, ((event.clientX - left) / width) * durationMs));
  };
  const press = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    onSeek(findPosition(event));
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const toMs = findPosition(event);
    setHovered(nearestChunk(atMs, toMs));
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onSeek(toMs);
  };
  return (
    <div>
      <div
        role="slider"
        tabIndex={0}
        aria-label="Position"
        aria-valuemin={0}
        aria-valuemax={Number(formatSeconds(durationMs, 3))}
        aria-valuenow={Number(formatSeconds(positionMs))}
        aria-valuetext={`${formatSeconds(positionMs)} of ${formatSeconds(durationMs)} seconds, ${describeChunk(timeline, chunk)}`}
        aria-keyshortcuts="ArrowLeft ArrowRight Home End"
        className={`${styles.scrubber} panel`}
        onPointerDown={press}
        onPointerMove={move}
        onPointerLeave={() => setHovered(null)}
      >
        {drawing}
        <span ref={remaining} className={`${styles.line} ${styles.remaining} scripted`} />
        {hovered !== null && <span ref={mark} className={`${styles.line} ${styles.hovered}`} />}
        <span ref={playhead} className={`${styles.line} ${styles.playhead} ${hasEnded ? styles.ended : ""} scripted`} />
      </div>
      <p className={`${styles.readout} mono muted scripted`} aria-hidden="true">
        {describeChunk(timeline, hovered ?? chunk)}
      </p>
    </div>
  );
}
