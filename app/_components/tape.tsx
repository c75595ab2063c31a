/** What a tick of the tape stands for; each kind has its own colour and height. */
export type TickKind = "text" | "thinking" | "tool" | "error" | "other";
export type Tick = { atMs: number; kind: TickKind };

const width = 600;
const heights: Record<TickKind, number> = { text: 18, thinking: 12, tool: 24, error: 30, other: 6 };
const baseline = 32;

/** One path per kind, so that a tape of a thousand chunks stays a small drawing. */
function pathOf(ticks: readonly Tick[], kind: TickKind, durationMs: number): string {
  const places = ticks
    .filter((tick) => tick.kind === kind)
    .map(({ atMs }) => Math.round((atMs / durationMs) * (width - 2)) + 1);
  return [...new Set(places)].map((x) => `M${x} ${baseline}V${baseline - heights[kind]}`).join("");
}

/** The tape of a recording: every chunk is a tick at its true time. */
export function Tape({ ticks, durationMs, label }: { ticks: readonly Tick[]; durationMs: number; label: string }) {
  return (
    <svg
      className="tape"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${baseline + 2}`}
      preserveAspectRatio="none"
    >
      <path className="tape-base" d={`M0 ${baseline + 1}H${width}`} />
      {(Object.keys(heights) as TickKind[]).map((kind) => (
        <path key={kind} className={`tick-${kind}`} d={pathOf(ticks, kind, durationMs)} />
      ))}
    </svg>
  );
}
