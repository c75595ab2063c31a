import type { VendorPage } from "#lib/tracking/vendors/index";
import { bytes, day, formatCount, formatShortChanges } from "./format-counts";
import styles from "./size-chart.module.css";
import { timeScale } from "./time-scale";

type Snapshot = VendorPage["snapshots"][number];
type Change = VendorPage["changes"][number];

/** Places within the drawing, in pixels from its top: the size above, the changed lines below. */
const sizeTop = 24;
const sizeBottom = 128;
const barsTop = 168;
const barsBottom = 216;
const height = 224;

type Place = (at: Date) => string;

/** The size over time, as steps: a version stays until the next one comes. */
function Steps({ snapshots, place }: { snapshots: readonly Snapshot[]; place: Place }) {
  const sizes = snapshots.map(({ byte_size }) => byte_size);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const yOf = (size: number) => {
    if (most === least) return (sizeTop + sizeBottom) / 2;
    return Math.round(sizeBottom - ((size - least) / (most - least)) * (sizeBottom - sizeTop));
  };
  return (
    <>
      {snapshots.map(({ id, byte_size, firstSeenAt }, index) => {
        const next = snapshots[index + 1];
        const [x, y] = [place(firstSeenAt), yOf(byte_size)];
        const end = next ? place(next.firstSeenAt) : "100%";
        return (
          <g key={id} className={styles.step}>
            <line x1={x} x2={end} y1={y} y2={y} />
            {next && <line x1={end} x2={end} y1={y} y2={yOf(next.byte_size)} />}
          </g>
        );
      })}
      <text y={sizeTop - 8}>{bytes(most)}</text>
      {most !== least && <text y={sizeBottom + 18}>{bytes(least)}</text>}
    </>
  );
}

/** Lines that came (up) and went (down) with each change; heights by their square roots, so that small ones show. */
function Bars({ changes, place }: { changes: readonly Change[]; place: Place }) {
  const middle = (barsTop + barsBottom) / 2;
  const most = Math.max(1, ...changes.flatMap(({ linesAdded, linesRemoved }) => [linesAdded, linesRemoved]));
  const lengthOf = (count: number) => Math.round(Math.sqrt(count / most) * (middle - barsTop));
  return (
    <>
      <line className={styles.axis} x1="0" x2="100%" y1={middle} y2={middle} />
      {changes.map(({ id, at, linesAdded, linesRemoved }) => (
        <g key={id}>
          <line className={styles.added} x1={place(at)} x2={place(at)} y1={middle} y2={middle - lengthOf(linesAdded)} />
          <line
            className={styles.removed}
            x1={place(at)}
            x2={place(at)}
            y1={middle}
            y2={middle + lengthOf(linesRemoved)}
          />
        </g>
      ))}
    </>
  );
}

function wordsOf(snapshots: readonly Snapshot[], changes: readonly Change[]): string {
  const [first, last] = [snapshots[0], snapshots.at(-1)];
  if (!first || !last) return "";
  const linesAdded = changes.reduce((sum, change) => sum + change.linesAdded, 0);
  const linesRemoved = changes.reduce((sum, change) => sum + change.linesRemoved, 0);
  const sizes = `${bytes(first.byte_size)} on ${day(first.firstSeenAt)}, ${bytes(last.byte_size)} now`;
  return `${sizes}: ${formatCount(changes.length, "change")} with ${formatShortChanges({ linesAdded, linesRemoved })} lines.`;
}

type Props = Pick<VendorPage, "changes" | "snapshots"> & { now: Date };

/** Size and changed lines of a vendor's file over time, newest version first in `snapshots`. */
export function SizeChart({ snapshots: newestFirst, changes, now }: Props) {
  const snapshots = newestFirst.toReversed();
  const words = wordsOf(snapshots, changes);
  const place = timeScale(snapshots[0]?.firstSeenAt ?? now, now);
  return (
    <figure className={styles.chart}>
      <svg role="img" aria-label={`Size and changed lines over time. ${words}`} height={height}>
        <Steps snapshots={snapshots} place={place} />
        <Bars changes={changes} place={place} />
      </svg>
      <figcaption>{words} Above the size; below the lines that came and went.</figcaption>
    </figure>
  );
}
