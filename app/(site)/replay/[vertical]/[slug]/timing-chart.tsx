import type { Timing } from "#lib/replay/playback/index";
import { formatSeconds } from "../../../../_components/player/player-timeline";
import styles from "./timing-chart.module.css";

type Props = { timing: Timing; durationMs: number; isMeasured: boolean };

const width = 1_000;
const height = 200;

function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${formatSeconds(ms, 2)} s`;
}

/** Draws the bytes over time as steps, because nothing arrives between two chunks. */
function drawSteps({ arrival }: Timing, durationMs: number): string {
  const total = arrival.at(-1)?.byteSize ?? 1;
  const steps = arrival.map(({ atMs, byteSize }) => {
    const x = Math.round((atMs / durationMs) * width * 10) / 10;
    const y = Math.round((1 - byteSize / total) * height * 10) / 10;
    return `H${x}V${y}`;
  });
  return `M0 ${height}${steps.join("")}`;
}

/** A chart of the arrival of a cassette's bytes, with the key numbers. */
export function TimingChart({ timing, durationMs, isMeasured }: Props) {
  const { firstChunkMs, firstTokenMs, medianDeltaMs, pauses, arrival } = timing;
  const total = arrival.at(-1)?.byteSize ?? 0;
  const span = Math.max(1, durationMs);
  const x = (ms: number) => Math.round((ms / span) * width * 10) / 10;
  const facts: { title: string; text: string; className?: string | undefined }[] = [
    { title: "First chunk", text: formatDuration(firstChunkMs) },
    ...(firstTokenMs === null
      ? []
      : [{ title: "First token", text: formatDuration(firstTokenMs), className: styles.token }]),
    { title: "Median gap", text: formatDuration(medianDeltaMs) },
  ];
  return (
    <div className={styles.timing}>
      <figure className={styles.chart}>
        <p className={styles.axis}>{total.toLocaleString("en")} bytes</p>
        <svg
          role="img"
          aria-label={`Bytes received over ${formatSeconds(durationMs)} seconds. The numbers are next to the chart.`}
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
          <path className={styles.steps} d={drawSteps(timing, span)} />
        </svg>
        <p className={`${styles.axis} ${styles.time}`}>
          <span>0 s</span>
          <span>{formatSeconds(durationMs)} s</span>
        </p>
      </figure>
      <dl className={styles.facts}>
        {facts.map(({ title, text, className }) => (
          <div key={title}>
            <dt className={className}>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt className={styles.pauses}>Longest pauses</dt>
          <dd>
            {pauses.map(({ fromMs, pauseMs }) => (
              <span key={fromMs} className={styles.line}>
                {formatDuration(pauseMs)} after {formatSeconds(fromMs, 2)} s
              </span>
            ))}
          </dd>
        </div>
        {!isMeasured && (
          <div>
            <dt>Clock</dt>
            <dd>none: synthetic timing</dd>
          </div>
        )}
      </dl>
    </div>
  );
}
