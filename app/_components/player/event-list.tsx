import { memo, useEffect, useRef } from "react";
import type { Provider } from "#lib/replay/providers/browser";
import { scrollBox } from "../scroll-box";
import styles from "./event-list.module.css";
import type { PlayerEvent } from "./player-event";
import { formatSeconds, type PlayerTimeline } from "./player-timeline";

/** Describes an event in one line: what it adds to the answer, else its name and data. */
export function describeEvent(
  { readDeltas }: Pick<Provider, "readDeltas">,
  { event, data, json }: Pick<PlayerEvent, "event" | "data" | "json">,
): string {
  const deltas = json ? readDeltas(json) : [];
  if (deltas.length === 0) return event === "message" ? data : `${event} ${data}`;
  return deltas
    .map(({ kind, name, text }) => {
      const words = name === undefined ? [kind] : [kind, name];
      return [...words, ...(text === "" && name !== undefined ? [] : [JSON.stringify(text)])].join(" ");
    })
    .join(", ");
}

type Props = {
  provider: Provider;
  events: readonly PlayerEvent[];
  timeline: PlayerTimeline;
  /** Number of events that have arrived. */
  count: number;
  onSeek: (positionMs: number) => void;
};

/** Number of events listed around the playhead. */
const listedCount = 80;
/** The list moves in steps of this size, so that some events before the current one are always shown. */
const stepCount = 40;
const leadCount = 20;
const rowHeight = 28;
/** Distance of the current row from the top of the list, in pixels. */
const markedTop = 112;

type RowsProps = Pick<Props, "provider" | "events" | "timeline" | "onSeek"> & { first: number };

/** Rows are for the pointer only; keyboard users have the timeline. */
const Rows = memo(function Rows({ provider, events, timeline, first, onSeek }: RowsProps) {
  return events.slice(first, first + listedCount).map(({ number, chunk, ...event }) => {
    const atMs = timeline.atMs[chunk] ?? 0;
    return (
      <li key={number}>
        <button type="button" tabIndex={-1} className={styles.row} onClick={() => onSeek(atMs)}>
          <span className={styles.time}>{formatSeconds(atMs, 3)}</span>
          <span className={styles.data}>{describeEvent(provider, event)}</span>
        </button>
      </li>
    );
  });
});

/** Returns an event with its name, if its protocol names events. */
function fullText({ event, data }: PlayerEvent): string {
  return event === "message" ? data : `event: ${event}\ndata: ${data}`;
}

/** The raw events with their times. The current one is marked, and shown in full below the list. */
export function EventList({ provider, events, timeline, count, onSeek }: Props) {
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
        <ol start={first + 1} className="mono plain-list">
          <Rows provider={provider} events={events} timeline={timeline} first={first} onSeek={onSeek} />
        </ol>
      </div>
      <pre {...scrollBox("The current event in full")} className={styles.currentEvent}>
        {shown ? fullText(shown) : "No event has been played yet."}
      </pre>
    </div>
  );
}
