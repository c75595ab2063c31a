import type { VendorPage } from "#lib/tracking/vendors/index";
import { formatDay, formatLineChanges } from "../../_components/format";
import styles from "./change-timeline.module.css";
import { timeScale } from "./time-scale";

type Change = VendorPage["changes"][number];

/** Vertical positions, in pixels from the top. */
const captionY = 16;
const lineY = 124;
const labelY = 148;
const height = 156;
const pixelsPerLevel = 18;

function describeChange(change: Change): string {
  const { at, significance } = change;
  const level = significance === null ? "not analysed yet" : `significance ${significance} of 5`;
  return `${formatDay(at)}: ${formatLineChanges(change)}, ${level}`;
}

function Tick({ change, x, href }: { change: Change; x: string; href: string }) {
  const caption = describeChange(change);
  const top = lineY - (change.significance ?? 0.5) * pixelsPerLevel;
  return (
    <a href={href} className={styles.tick} aria-label={caption}>
      <rect className={styles.hitArea} x={x} y="28" width="24" height={lineY - 20} transform="translate(-12)" />
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

/** A vendor's timeline: a dot for each version and a tick for each change; its height shows the significance. */
export function ChangeTimeline({ changes, snapshots, slug, now }: Props) {
  const times = [...changes.map(({ at }) => at), ...snapshots.map(({ firstSeenAt }) => firstSeenAt)];
  const from = new Date(Math.min(now.getTime(), ...times.map((at) => at.getTime())));
  const toX = timeScale(from, now);
  return (
    <svg className={styles.timeline} height={height}>
      <title>Changes over time</title>
      <text className={styles.hint} y={captionY}>
        Each tick is a change; its height shows significance.
      </text>
      <line className={styles.line} x1="0" x2="100%" y1={lineY} y2={lineY} />
      {snapshots.map(({ id, firstSeenAt }) => (
        <circle key={id} className={styles.dot} cx={toX(firstSeenAt)} cy={lineY} r="3" />
      ))}
      {changes.toReversed().map((change) => (
        <Tick key={change.id} change={change} x={toX(change.at)} href={`/vendors/${slug}/diffs/${change.id}`} />
      ))}
      <text y={labelY}>{formatDay(from)}</text>
      <text x="100%" y={labelY} textAnchor="end">
        {formatDay(now)}
      </text>
    </svg>
  );
}
