import type { DayState, HistoryDay, HistoryLine, StatusHistory } from "#lib/jobs/index";
import { type Column, DataTable } from "../_components/data-table";
import styles from "./history.module.css";

const stateTexts: Record<DayState, string> = { ok: "ok", partial: "partly failed", failed: "failed", none: "no data" };
const states = Object.keys(stateTexts) as DayState[];

/** Width of a day and of its mark, and height of the drawing, in units of the view box. */
const view = { day: 10, mark: 8, height: 40 } as const;

/** Top and bottom of the bars of a day's mark: the states differ in shape, not only in colour. */
const bars: Record<DayState, readonly (readonly [top: number, bottom: number])[]> = {
  ok: [[0, 40]],
  partial: [
    [0, 14],
    [22, 40],
  ],
  failed: [[22, 40]],
  none: [[37, 40]],
};

function drawMark(state: DayState, index: number): string {
  const x = index * view.day + 1;
  return bars[state].map(([top, bottom]) => `M${x} ${top}h${view.mark}V${bottom}h-${view.mark}Z`).join("");
}

/** Returns one path for all days of a state. */
function drawState(days: readonly HistoryDay[], state: DayState): string {
  return days.map((day, index) => (day.state === state ? drawMark(state, index) : "")).join("");
}

function countOf({ days }: HistoryLine, state: DayState): number {
  return days.filter((day) => day.state === state).length;
}

/** Returns `88 days ok, 1 partly failed, 1 no data`. */
function describeDays(line: HistoryLine): string {
  const counts = states.map((state) => ({ text: stateTexts[state], count: countOf(line, state) }));
  return counts
    .filter(({ count }) => count > 0)
    .map(({ text, count }, index) => `${count} ${index > 0 ? "" : count === 1 ? "day " : "days "}${text}`)
    .join(", ");
}

/** Returns `2,158 of 2,160 runs completed (99.91 %)`. The share is rounded down, so that 100 % means all. */
function describeCounts({ days, unit }: HistoryLine): string {
  const succeeded = days.reduce((sum, day) => sum + day.succeeded, 0);
  const total = days.reduce((sum, day) => sum + day.succeeded + day.failed, 0);
  if (total === 0) return `no ${unit} recorded`;
  const share = Math.floor((succeeded / total) * 10_000) / 100;
  const verb = unit === "runs" ? "completed" : "succeeded";
  return `${succeeded.toLocaleString("en")} of ${total.toLocaleString("en")} ${unit} ${verb} (${share} %)`;
}

function Line({ line }: { line: HistoryLine }) {
  const { name, days, unit } = line;
  return (
    <li>
      <p className="row spread">
        {unit === "runs" ? <code>{name}</code> : name}
        <span className="caption">{describeCounts(line)}</span>
      </p>
      <svg
        role="img"
        aria-label={`${name}: ${describeDays(line)}`}
        className={styles.chart}
        viewBox={`0 0 ${days.length * view.day} ${view.height}`}
        preserveAspectRatio="none"
      >
        {states.map((state) => (
          <path key={state} className={styles[state]} d={drawState(days, state)} />
        ))}
      </svg>
    </li>
  );
}

function Legend() {
  return (
    <ul className="row caption plain-list">
      {states.map((state) => (
        <li key={state} className="row tight">
          <svg aria-hidden="true" viewBox="0 0 10 40" width="6" height="16" preserveAspectRatio="none">
            <path className={styles[state]} d={drawMark(state, 0)} />
          </svg>
          {stateTexts[state]}
        </li>
      ))}
    </ul>
  );
}

function describeDay({ succeeded, failed }: HistoryDay): string {
  if (succeeded + failed === 0) return "–";
  return failed === 0 ? succeeded.toLocaleString("en") : `${succeeded.toLocaleString("en")}, ${failed} failed`;
}

/** The figures of the chart: a row for each day of which there are any, newest first. */
function Figures({ lines }: StatusHistory) {
  const days = lines[0]?.days.map(({ day }) => day) ?? [];
  const known = days.flatMap((day, index) => {
    const ofLines = lines.map((line) => line.days[index] as HistoryDay);
    return ofLines.every(({ state }) => state === "none") ? [] : [{ day, ofLines }];
  });
  if (known.length === 0) return null;
  const columns: readonly Column<(typeof known)[number]>[] = [
    { title: "Day", cell: ({ day }) => <time>{day}</time> },
    ...lines.map(({ name: title }, index) => ({
      title,
      isNumber: true,
      cell: ({ ofLines }: (typeof known)[number]) => describeDay(ofLines[index] as HistoryDay),
    })),
  ];
  const caption = "Fetches and runs of each day that succeeded";
  return (
    <details>
      <summary>Figures of each day</summary>
      <DataTable caption={caption} columns={columns} items={known.reverse()} keyOf={({ day }) => day} />
    </details>
  );
}

/** The daily history of fetches and jobs: a chart for each, with its figures, and a table of them. Needs no JavaScript. */
export function History({ history: { lines } }: { history: StatusHistory }) {
  const days = lines[0]?.days ?? [];
  return (
    <div className="stack">
      <Legend />
      <ul className="stack plain-list">
        {lines.map((line) => (
          <Line key={line.name} line={line} />
        ))}
      </ul>
      <p className="row spread caption">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}, today</span>
      </p>
      <Figures lines={lines} />
    </div>
  );
}
