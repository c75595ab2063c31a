import styles from "./timeline.module.css";

/** Kind of a tick. Text is above the line, thinking below it, tools cross it, and errors have full height. */
export type TickKind = "text" | "thinking" | "tool" | "error" | "other";

export type Tick = {
  atMs: number;
  kind: TickKind;
  /** Height, 0 to 1; 1 if absent. */
  level?: number;
};

/** Size of the SVG's view box; the drawing is stretched to the available width. */
const timelineView = { width: 1200, height: 64, line: 38 } as const;
/** Shortest pause that leaves a gap in the line, as a share of the duration. */
const minPauseShare = 0.03;

const reach: Record<TickKind, { up: number; down: number }> = {
  text: { up: 36, down: 0 },
  thinking: { up: 0, down: 24 },
  tool: { up: 22, down: 16 },
  error: { up: 38, down: 26 },
  other: { up: 3, down: 3 },
};

function toX(atMs: number, durationMs: number): number {
  return durationMs > 0 ? Math.round((atMs / durationMs) * (timelineView.width - 4)) + 2 : 2;
}

/** Draws one path per kind, so that a timeline of thousands of chunks stays a small SVG. */
function drawTicks(ticks: readonly Tick[], kind: TickKind, durationMs: number): string {
  const levels = new Map<number, number>();
  for (const tick of ticks) {
    if (tick.kind !== kind) continue;
    const x = toX(tick.atMs, durationMs);
    levels.set(x, Math.max(levels.get(x) ?? 0, tick.level ?? 1));
  }
  const { up, down } = reach[kind];
  const { line } = timelineView;
  return [...levels]
    .map(([x, level]) => `M${x} ${Math.round(line - up * level)}V${Math.round(line + down * level)}`)
    .join("");
}

/** Draws the line, with gaps for long pauses. */
function drawLine(ticks: readonly Tick[], durationMs: number): string {
  const { width, line } = timelineView;
  let path = "";
  let fromMs = 0;
  for (const { atMs } of [...ticks, { atMs: durationMs }]) {
    if (atMs - fromMs < durationMs * minPauseShare)
      path += `M${toX(fromMs, durationMs)} ${line}H${toX(atMs, durationMs)}`;
    fromMs = atMs;
  }
  return path || `M2 ${line}H${width - 2}`;
}

type Props = {
  /** In chronological order. */
  ticks: readonly Tick[];
  durationMs: number;
  /** Text alternative; without it, the timeline is hidden from screen readers. */
  label?: string;
  size?: "small" | "large";
};

/** The timeline of a cassette, with a tick for every chunk at its time. Rendered on the server. */
export function Timeline({ ticks, durationMs, label, size = "small" }: Props) {
  const { width, height, line } = timelineView;
  return (
    <svg
      role="img"
      aria-label={label}
      aria-hidden={label === undefined ? true : undefined}
      className={`${styles.timeline} ${styles[size]}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
    >
      <path className={styles.silence} d={`M2 ${line}H${width - 2}`} />
      <path className={styles.line} d={drawLine(ticks, durationMs)} />
      {(Object.keys(reach) as TickKind[]).map((kind) => (
        <path key={kind} className={styles[kind]} d={drawTicks(ticks, kind, durationMs)} />
      ))}
    </svg>
  );
}

/** Explains the kinds of ticks. */
export function TimelineLegend({ kinds }: { kinds: readonly TickKind[] }) {
  return (
    <ul className={`${styles.legend} row caption plain-list`}>
      {kinds
        .filter((kind) => kind !== "other")
        .map((kind) => (
          <li key={kind}>
            <svg aria-hidden="true" viewBox="0 0 12 16" width="12" height="16">
              <path className={styles.line} d="M0 9H12" />
              <path className={styles[kind]} d={`M6 ${9 - reach[kind].up / 4.5}V${9 + reach[kind].down / 4}`} />
            </svg>
            {kind}
          </li>
        ))}
    </ul>
  );
}
