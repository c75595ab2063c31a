import { memo, useEffect, useRef } from "react";
import { scrollBox } from "../scroll-box";
import styles from "./event-list.module.css";
import type { PlayerEvent } from "./player-event";
import { type PlayerTimeline, seconds } from "./player-timeline";
import { previewOf } from "./preview-of";

type Props = {
  events: readonly PlayerEvent[];
  tape: PlayerTimeline;
  /** How many of them have come. */
  count: number;
  onSeek: (positionMs: number) => void;
};

/** Events that are listed at once: those around the playhead. */
const listedCount = 80;
/** The list moves on by as many, so that there are always some before the current one. */
const stepCount = 40;
const leadCount = 20;
const rowHeight = 28;
/** Where the current row stands, from the top of the list's box. */
const markedTop = 112;

type RowsProps = Pick<Props, "events" | "tape" | "onSeek"> & { first: number };

/** Rows are chosen with the pointer; the keyboard walks the same way on the tape. */
const Rows = memo(function Rows({ events, tape, first, onSeek }: RowsProps) {
  return events.slice(first, first + listedCount).map(({ number, chunk, ...event }) => {
    const atMs = tape.atMs[chunk] ?? 0;
    return (
      <li key={number}>
        <button type="button" tabIndex={-1} className={styles.row} onClick={() => onSeek(atMs)}>
          <span className={styles.time}>{seconds(atMs, 3)}</span>
          <span className={styles.data}>{previewOf(event)}</span>
        </button>
      </li>
    );
  });
});

/** The raw events with their times, the newest of those that have come marked and whole below the list. */
export function EventList({ events, tape, count, onSeek }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const current = count - 1;
  const first = Math.max(0, Math.floor(current / stepCount) * stepCount - leadCount);
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    const marked = box.firstElementChild?.children[current - first];
    marked?.setAttribute("aria-current", "true");
    box.scrollTop = (current - first) * rowHeight - markedTop;
    return () => marked?.removeAttribute("aria-current");
  }, [current, first]);
  const shown = events[current];
  return (
    <div className={styles.events}>
      <div ref={list} {...scrollBox("Raw events")} className={styles.list}>
        <ol start={first + 1}>
          <Rows events={events} tape={tape} first={first} onSeek={onSeek} />
        </ol>
      </div>
      <pre {...scrollBox("The current event, whole")} className={styles.whole}>
        {shown ? `event: ${shown.event}\ndata: ${shown.data}` : "No event has come yet."}
      </pre>
    </div>
  );
}
