import type { Timing } from "#lib/replay/playback/index";
import { Rows } from "../../../../_components/page-parts";
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
  const rows = [
    { name: "First chunk", value: formatDuration(firstChunkMs) },
    ...(firstTokenMs === null
      ? []
      : [{ name: "First token", value: formatDuration(firstTokenMs), className: styles.token }]),
    { name: "Median gap", value: formatDuration(medianDeltaMs) },
    {
      name: "Longest pauses",
      value: pauses.map(({ fromMs, pauseMs }) => (
        <div key={fromMs}>
          {formatDuration(pauseMs)} after {formatSeconds(fromMs, 2)} s
        </div>
      )),
      className: styles.pauses,
    },
    ...(isMeasured ? [] : [{ name: "Clock", value: "none: synthetic timing" }]),
  ];
  return (
    <div className="columns">
      <figure className={styles.chart}>
        <p className="mono muted">{total.toLocaleString("en")} bytes</p>
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
        <p className="row spread mono muted">
          <span>0 s</span>
          <span>{formatSeconds(durationMs)} s</span>
        </p>
      </figure>
      <div className={styles.facts}>
        <Rows rows={rows} />
      </div>
    </div>
  );
}
