import styles from "./timeline.module.css";

/** What a tick stands for. Text rises from the line, thinking hangs below it, tools cross it, errors fill the tape. */
export type TickKind = "text" | "thinking" | "tool" | "error" | "other";

export type Tick = {
  atMs: number;
  kind: TickKind;
  /** Height, 0 to 1; 1 if absent. */
  level?: number;
};

/** The drawing's own measures; it is stretched to the width that it gets. */
export const timelineView = { width: 1200, height: 64, line: 38 } as const;
/** Silence that is drawn as such, as a share of the whole. */
const pauseShare = 0.03;

const reach: Record<TickKind, { up: number; down: number }> = {
  text: { up: 36, down: 0 },
  thinking: { up: 0, down: 24 },
  tool: { up: 22, down: 16 },
  error: { up: 38, down: 26 },
  other: { up: 3, down: 3 },
};

function placeOf(atMs: number, durationMs: number): number {
  return durationMs > 0 ? Math.round((atMs / durationMs) * (timelineView.width - 4)) + 2 : 2;
}

/** One path per kind, so that a tape of thousands of chunks stays a small drawing. */
function pathOf(ticks: readonly Tick[], kind: TickKind, durationMs: number): string {
  const levels = new Map<number, number>();
  for (const tick of ticks) {
    if (tick.kind !== kind) continue;
    const place = placeOf(tick.atMs, durationMs);
    levels.set(place, Math.max(levels.get(place) ?? 0, tick.level ?? 1));
  }
  const { up, down } = reach[kind];
  const { line } = timelineView;
  return [...levels]
    .map(([x, level]) => `M${x} ${Math.round(line - up * level)}V${Math.round(line + down * level)}`)
    .join("");
}

/** The line is drawn where something goes on, and left out in pauses. */
function linePath(ticks: readonly Tick[], durationMs: number): string {
  const { width, line } = timelineView;
  let path = "";
  let fromMs = 0;
  for (const { atMs } of [...ticks, { atMs: durationMs }]) {
    if (atMs - fromMs < durationMs * pauseShare)
      path += `M${placeOf(fromMs, durationMs)} ${line}H${placeOf(atMs, durationMs)}`;
    fromMs = atMs;
  }
  return path || `M2 ${line}H${width - 2}`;
}

type Props = {
  /** In the order of time. */
  ticks: readonly Tick[];
  durationMs: number;
  /** What it shows, for those who do not see it; left out where it only decorates. */
  label?: string;
  size?: "small" | "large";
};

/** The tape of a recording: every chunk is a tick at its true time. Drawn on the server. */
export function Tape({ ticks, durationMs, label, size = "small" }: Props) {
  const { width, height, line } = timelineView;
  return (
    <svg
      role="img"
      aria-label={label}
      aria-hidden={label === undefined ? true : undefined}
      className={`${styles.tape} ${styles[size]}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
    >
      <path className={styles.silence} d={`M2 ${line}H${width - 2}`} />
      <path className={styles.line} d={linePath(ticks, durationMs)} />
      {(Object.keys(reach) as TickKind[]).map((kind) => (
        <path key={kind} className={styles[kind]} d={pathOf(ticks, kind, durationMs)} />
      ))}
    </svg>
  );
}

/** What the shapes of a tape mean. */
export function TimelineLegend({ kinds }: { kinds: readonly TickKind[] }) {
  return (
    <ul className={styles.legend}>
      {kinds
        .filter((kind) => kind !== "other")
        .map((kind) => (
          <li key={kind}>
            <svg aria-hidden="true" viewBox="0 0 12 16" width="12" height="16">
              <path className={styles.line} d="M0 9H12" />
              <path className={styles[kind]} d={`M6 ${9 - reach[kind].up / 4.5}V${9 + reach[kind].down / 4}`} />
            </svg>
            {legendWords[kind]}
          </li>
        ))}
    </ul>
  );
}

const legendWords: Record<TickKind, string> = {
  text: "text",
  thinking: "thinking",
  tool: "tool",
  error: "error",
  other: "other",
};
