import type { nextEnds } from "#lib/models/index";
import { formatDay } from "../../_components/format";
import styles from "../../vendors/_components/change-timeline.module.css";
import { timeScale } from "../../vendors/_components/time-scale";

type End = ReturnType<typeof nextEnds>[number];

/** Vertical positions, in pixels from the top. */
const captionY = 16;
const lineY = 100;
const labelY = 124;
const height = 132;
const pixelsPerModel = 8;
const maxTickHeight = 64;

/** Most models that a caption names. */
const maxNamedCount = 3;

function describeEnd({ day, models }: End): string {
  const names = models.slice(0, maxNamedCount).map(({ id }) => id);
  const more = models.length - names.length;
  return `${formatDay(day)}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The days on which models end, on a line of time; a tick's height shows how many. */
export function EndsTimeline({ ends, now }: { ends: readonly End[]; now: Date }) {
  const last = ends.at(-1);
  if (!last) return null;
  const toX = timeScale(now, new Date(last.day));
  return (
    <svg className={styles.timeline} height={height}>
      <title>Days on which models end</title>
      <text className={styles.hint} y={captionY}>
        Each tick is a day on which models end.
      </text>
      <line className={styles.line} x1="0" x2="100%" y1={lineY} y2={lineY} />
      {ends.map((end) => {
        const x = toX(new Date(end.day));
        const top = lineY - Math.min(maxTickHeight, end.models.length * pixelsPerModel);
        return (
          <a key={end.day} href={`/models?ends=${end.day}`} className={styles.tick} aria-label={describeEnd(end)}>
            <rect className={styles.hitArea} x={x} y="28" width="24" height={lineY - 20} transform="translate(-12)" />
            <line className={styles.known} x1={x} x2={x} y1={lineY} y2={top} />
            <text className={styles.caption} y={captionY}>
              {describeEnd(end)}
            </text>
          </a>
        );
      })}
      <text y={labelY}>{formatDay(now)}</text>
      <text x="100%" y={labelY} textAnchor="end">
        {formatDay(last.day)}
      </text>
    </svg>
  );
}
