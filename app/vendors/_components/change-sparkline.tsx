import { dayMs } from "#lib/platform/time";
import type { VendorChange } from "#lib/tracking/vendors/index";
import styles from "./change-sparkline.module.css";
import { day, formatCount } from "./format-counts";
import { timeScale } from "./time-scale";

/** How far back the small tape reaches. */
export const sparklineDays = 90;

/** Measures of the drawing, in pixels; a change without a report is half as high as the least significant one. */
const height = 28;
const pixelsPerLevel = 5;
const levelOf = (significance: number | null) => significance ?? 0.5;

function describe(changes: readonly VendorChange[]): string {
  const known = changes.flatMap(({ significance }) => significance ?? []);
  const range = known.length > 0 ? `, significance up to ${Math.max(...known)}` : "";
  return `${formatCount(changes.length, "change")} since ${day(changes.at(-1)?.at ?? new Date(0))}${range}`;
}

/** A vendor's last changes as a small tape: each a tick at its time, as high as it is significant. */
export function ChangeSparkline({ changes, now }: { changes: readonly VendorChange[]; now: Date }) {
  const from = new Date(now.getTime() - sparklineDays * dayMs);
  const place = timeScale(from, now);
  const shown = changes.filter(({ at }) => at >= from);
  const label = shown.length > 0 ? describe(shown) : `No change in ${sparklineDays} days`;
  return (
    <svg role="img" aria-label={label} className={styles.tape} width="160" height={height}>
      <line className={styles.line} x1="0" x2="100%" y1={height - 1} y2={height - 1} />
      {shown.map(({ id, at, significance }) => {
        const x = place(at);
        return <line key={id} x1={x} x2={x} y1={height - 1} y2={height - 1 - levelOf(significance) * pixelsPerLevel} />;
      })}
    </svg>
  );
}
