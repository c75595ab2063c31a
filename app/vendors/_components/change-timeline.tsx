import type { VendorPage } from "#lib/tracking/vendors/index";
import styles from "./change-timeline.module.css";
import { day, formatLineChanges } from "./format-counts";
import { timeScale } from "./time-scale";

type Change = VendorPage["changes"][number];

/** Places within the drawing, in pixels from its top. */
const captionY = 16;
const lineY = 124;
const labelY = 148;
const height = 156;
const pixelsPerLevel = 18;

function captionOf(change: Change): string {
  const { at, significance } = change;
  const level = significance === null ? "not analysed yet" : `significance ${significance} of 5`;
  return `${day(at)}: ${formatLineChanges(change)}, ${level}`;
}

function Tick({ change, x, href }: { change: Change; x: string; href: string }) {
  const caption = captionOf(change);
  const top = lineY - (change.significance ?? 0.5) * pixelsPerLevel;
  return (
    <a href={href} className={styles.tick} aria-label={caption}>
      <rect className={styles.hold} x={x} y="28" width="24" height={lineY - 20} transform="translate(-12)" />
      <line
        className={change.significance === null ? styles.unknown : styles.known}
        x1={x}
        x2={x}
        y1={lineY}
        y2={top}
      />
      <text className={styles.caption} y={captionY}>
        {caption}
      </text>
    </a>
  );
}

type Props = Pick<VendorPage, "changes" | "snapshots"> & { slug: string; now: Date };

/** The tape of a vendor: a dot for each version, a tick for each change, as high as it is significant. */
export function ChangeTimeline({ changes, snapshots, slug, now }: Props) {
  const moments = [...changes.map(({ at }) => at), ...snapshots.map(({ firstSeenAt }) => firstSeenAt)];
  const from = new Date(Math.min(now.getTime(), ...moments.map((at) => at.getTime())));
  const place = timeScale(from, now);
  return (
    <svg className={styles.timeline} height={height}>
      <title>Changes over time</title>
      <text className={styles.hint} y={captionY}>
        A tick is a change, as high as it is significant.
      </text>
      <line className={styles.line} x1="0" x2="100%" y1={lineY} y2={lineY} />
      {snapshots.map(({ id, firstSeenAt }) => (
        <circle key={id} className={styles.dot} cx={place(firstSeenAt)} cy={lineY} r="3" />
      ))}
      {changes.toReversed().map((change) => (
        <Tick key={change.id} change={change} x={place(change.at)} href={`/vendors/${slug}/diffs/${change.id}`} />
      ))}
      <text className={styles.label} y={labelY}>
        {day(from)}
      </text>
      <text className={styles.label} x="100%" y={labelY} textAnchor="end">
        {day(now)}
      </text>
    </svg>
  );
}
