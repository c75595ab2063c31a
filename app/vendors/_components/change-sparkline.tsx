import { dayMs } from "#lib/platform/time";
import type { VendorChange } from "#lib/tracking/vendors/index";
import styles from "./change-sparkline.module.css";
import { formatCount, formatDay } from "./format-counts";
import { timeScale } from "./time-scale";

/** Number of days that the sparkline covers. */
export const sparklineDays = 90;

/** Sizes in pixels. A change without a report is half as high as one of significance 1. */
const height = 28;
const pixelsPerLevel = 5;
const toLevel = (significance: number | null) => significance ?? 0.5;

function describe(changes: readonly VendorChange[]): string {
  const known = changes.flatMap(({ significance }) => significance ?? []);
  const range = known.length > 0 ? `, significance up to ${Math.max(...known)}` : "";
  return `${formatCount(changes.length, "change")} since ${formatDay(changes.at(-1)?.at ?? new Date(0))}${range}`;
}

/** A vendor's recent changes as a small chart: each is a tick, whose height shows the significance. */
export function ChangeSparkline({ changes, now }: { changes: readonly VendorChange[]; now: Date }) {
  const from = new Date(now.getTime() - sparklineDays * dayMs);
  const toX = timeScale(from, now);
  const shown = changes.filter(({ at }) => at >= from);
  const label = shown.length > 0 ? describe(shown) : `No changes in ${sparklineDays} days`;
  return (
    <svg role="img" aria-label={label} className={styles.sparkline} width="160" height={height}>
      <line className={styles.line} x1="0" x2="100%" y1={height - 1} y2={height - 1} />
      {shown.map(({ id, at, significance }) => {
        const x = toX(at);
        return <line key={id} x1={x} x2={x} y1={height - 1} y2={height - 1 - toLevel(significance) * pixelsPerLevel} />;
      })}
    </svg>
  );
}
