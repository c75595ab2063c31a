import type { Timing } from "#lib/replay/playback/index";
import { seconds } from "../../../../_components/player/player-timeline";
import styles from "./timing-chart.module.css";

type Props = { timing: Timing; durationMs: number; isMeasured: boolean };

const width = 1_000;
const height = 200;

function milliseconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${seconds(ms, 2)} s`;
}

/** Bytes over time, as steps: nothing comes between two chunks. */
function stepsOf({ arrival }: Timing, durationMs: number): string {
  const total = arrival.at(-1)?.byteSize ?? 1;
  const steps = arrival.map(({ atMs, byteSize }) => {
    const x = Math.round((atMs / durationMs) * width * 10) / 10;
    const y = Math.round((1 - byteSize / total) * height * 10) / 10;
    return `H${x}V${y}`;
  });
  return `M0 ${height}${steps.join("")}`;
}

/** The arrival of a recording's bytes as a drawing, and the same in numbers. */
export function TimingChart({ timing, durationMs, isMeasured }: Props) {
  const { firstChunkMs, firstTokenMs, medianDeltaMs, pauses, arrival } = timing;
  const total = arrival.at(-1)?.byteSize ?? 0;
  const span = Math.max(1, durationMs);
  const x = (ms: number) => Math.round((ms / span) * width * 10) / 10;
  return (
    <div className={styles.timing}>
      <figure className={styles.chart}>
        <p className={styles.axis}>{total.toLocaleString("en")} bytes</p>
        <svg
          role="img"
          aria-label={`Bytes that had arrived, over ${seconds(durationMs)} seconds. The numbers stand beside it.`}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
        >
          {pauses.map(({ fromMs, pauseMs }) => (
            <path
              key={fromMs}
              className={styles.pause}
              d={`M${x(fromMs)} 0H${x(fromMs + pauseMs)}V${height}H${x(fromMs)}Z`}
            />
          ))}
          <path className={styles.floor} d={`M0 ${height}H${width}`} />
          {firstTokenMs !== null && <path className={styles.first} d={`M${x(firstTokenMs)} 0V${height}`} />}
          <path className={styles.steps} d={stepsOf(timing, span)} />
        </svg>
        <p className={`${styles.axis} ${styles.time}`}>
          <span>0 s</span>
          <span>{seconds(durationMs)} s</span>
        </p>
      </figure>
      <dl className={styles.facts}>
        <div>
          <dt>First chunk</dt>
          <dd>{milliseconds(firstChunkMs)}</dd>
        </div>
        {firstTokenMs !== null && (
          <div>
            <dt className={styles.token}>First token</dt>
            <dd>{milliseconds(firstTokenMs)}</dd>
          </div>
        )}
        <div>
          <dt>Between chunks, half the time</dt>
          <dd>at most {milliseconds(medianDeltaMs)}</dd>
        </div>
        <div>
          <dt className={styles.silent}>Longest pauses</dt>
          <dd>
            {pauses.map(({ fromMs, pauseMs }) => (
              <span key={fromMs} className={styles.line}>
                {milliseconds(pauseMs)} after {seconds(fromMs, 2)} s
              </span>
            ))}
          </dd>
        </div>
        {!isMeasured && (
          <div>
            <dt>Clock</dt>
            <dd>none: the times are synthetic</dd>
          </div>
        )}
      </dl>
    </div>
  );
}
