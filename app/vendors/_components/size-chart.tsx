import { formatCount } from "#lib/platform/format-count";
import type { VendorPage } from "#lib/tracking/vendors/index";
import { formatBytes, formatDay, formatShortChanges } from "../../_components/format";
import styles from "./size-chart.module.css";
import { timeScale } from "./time-scale";

type Snapshot = VendorPage["snapshots"][number];
type Change = VendorPage["changes"][number];

/** Vertical positions, in pixels from the top: the size above, the changed lines below. */
const sizeTop = 24;
const sizeBottom = 128;
const barsTop = 168;
const barsBottom = 216;
const height = 224;

type ToX = (at: Date) => string;

/** The size over time as steps: a version lasts until the next one. */
function Steps({ snapshots, toX }: { snapshots: readonly Snapshot[]; toX: ToX }) {
  const sizes = snapshots.map(({ byte_size }) => byte_size);
  const [min, max] = [Math.min(...sizes), Math.max(...sizes)];
  const toY = (size: number) => {
    if (max === min) return (sizeTop + sizeBottom) / 2;
    return Math.round(sizeBottom - ((size - min) / (max - min)) * (sizeBottom - sizeTop));
  };
  return (
    <>
      {snapshots.map(({ id, byte_size, firstSeenAt }, index) => {
        const next = snapshots[index + 1];
        const [x, y] = [toX(firstSeenAt), toY(byte_size)];
        const end = next ? toX(next.firstSeenAt) : "100%";
        return (
          <g key={id} className={styles.step}>
            <line x1={x} x2={end} y1={y} y2={y} />
            {next && <line x1={end} x2={end} y1={y} y2={toY(next.byte_size)} />}
          </g>
        );
      })}
      <text y={sizeTop - 8}>{formatBytes(max)}</text>
      {max !== min && <text y={sizeBottom + 18}>{formatBytes(min)}</text>}
    </>
  );
}

/** Added (up) and removed (down) lines of each change. Heights are square roots, so that small changes are visible. */
function Bars({ changes, toX }: { changes: readonly Change[]; toX: ToX }) {
  const middle = (barsTop + barsBottom) / 2;
  const maxCount = Math.max(1, ...changes.flatMap(({ linesAdded, linesRemoved }) => [linesAdded, linesRemoved]));
  const toHeight = (count: number) => Math.round(Math.sqrt(count / maxCount) * (middle - barsTop));
  return (
    <>
      <line className={styles.axis} x1="0" x2="100%" y1={middle} y2={middle} />
      {changes.map(({ id, at, linesAdded, linesRemoved }) => (
        <g key={id}>
          <line className={styles.added} x1={toX(at)} x2={toX(at)} y1={middle} y2={middle - toHeight(linesAdded)} />
          <line className={styles.removed} x1={toX(at)} x2={toX(at)} y1={middle} y2={middle + toHeight(linesRemoved)} />
        </g>
      ))}
    </>
  );
}

function describeSizes(snapshots: readonly Snapshot[], changes: readonly Change[]): string {
  const [first, last] = [snapshots[0], snapshots.at(-1)];
  if (!first || !last) return "";
  const linesAdded = changes.reduce((sum, change) => sum + change.linesAdded, 0);
  const linesRemoved = changes.reduce((sum, change) => sum + change.linesRemoved, 0);
  const sizes = `${formatBytes(first.byte_size)} on ${formatDay(first.firstSeenAt)}, ${formatBytes(last.byte_size)} now`;
  return `${sizes}: ${formatCount(changes.length, "change")} with ${formatShortChanges({ linesAdded, linesRemoved })} lines.`;
}

type Props = Pick<VendorPage, "changes" | "snapshots"> & { now: Date };

/** Size and changed lines of a vendor's file over time. `snapshots` are sorted newest first. */
export function SizeChart({ snapshots: newestFirst, changes, now }: Props) {
  const snapshots = newestFirst.toReversed();
  const description = describeSizes(snapshots, changes);
  const toX = timeScale(snapshots[0]?.firstSeenAt ?? now, now);
  return (
    <figure className={`${styles.chart} stack tight`}>
      <svg role="img" aria-label={`Size and changed lines over time. ${description}`} height={height}>
        <Steps snapshots={snapshots} toX={toX} />
        <Bars changes={changes} toX={toX} />
      </svg>
      <figcaption className="caption">{description} Top: file size. Bottom: added and removed lines.</figcaption>
    </figure>
  );
}
