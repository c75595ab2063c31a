/** Charts of the benchmarks as SVG, in light and dark. */

type Axis = { label?: string; ticks: number[]; from: number; to: number; isLogarithmic?: boolean };
type Marker = "circle" | "dot" | "square" | "triangle" | "diamond";
type Point = { x: number; y: number };

/** Points, connected or not. Series differ in dash and marker as well as in colour. */
export type Series = {
  colour: "ink" | "red" | "green" | "violet";
  marker?: Marker;
  line?: boolean;
  dash?: string;
  points: Point[];
  /** Written beside the end of the line. */
  name?: string;
  /** Written beside each point. */
  labels?: string[];
};

export type Chart = {
  title: string;
  /** For readers who do not see the chart: what it shows, with its numbers. */
  description: string;
  heading: string;
  subtitle: string;
  x: Axis;
  y: Axis;
  series: Series[];
  /** Dashed lines across the chart, at a value of one axis. */
  rules?: { at: number; axis: "x" | "y"; label: string }[];
};

const [width, height] = [720, 400];
const frame = { left: 64, right: 580, top: 56, bottom: 344 };
/** Minimum distance between the names at the ends of lines, in pixels. */
const nameGap = 16;

const markers: Record<Marker, (x: number, y: number) => string> = {
  circle: (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  dot: (x, y) => `<circle cx="${x}" cy="${y}" r="1.5"/>`,
  square: (x, y) => `<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`,
  triangle: (x, y) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`,
  diamond: (x, y) => `<path d="M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5-5.5z"/>`,
};

const style = `
  .paper { fill: #FAF8F4 } .grid { stroke: #E4DFD3 } .rule { stroke: #6B665A; stroke-dasharray: 4 3 }
  text { fill: #6B665A; font: 13px "Instrument Sans", system-ui, sans-serif; font-variant-numeric: tabular-nums }
  .heading { fill: #17150F; font-size: 15px; font-weight: 600 } .line { fill: none; stroke: currentColor; stroke-width: 2 }
  .marks, .name { fill: currentColor }
  .ink { color: #17150F } .red { color: #C8401C } .green { color: #1F7A6D } .violet { color: #6F5EA6 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12110E } .grid { stroke: #2E2A23 } .rule { stroke: #A39C8C } text { fill: #A39C8C } .heading { fill: #F1EDE3 }
    .marks, .name { fill: currentColor }
    .ink { color: #F1EDE3 } .red { color: #FF7A50 } .green { color: #5CC2B2 } .violet { color: #B4A7E0 }
  }
`;

/** Returns the place of a value between two pixels. Values beyond the axis are drawn at its end. */
function scaleOf({ from, to, isLogarithmic = false }: Axis, start: number, end: number): (value: number) => number {
  const position = isLogarithmic ? Math.log10 : (value: number) => value;
  return (value) => {
    const within = Math.min(Math.max(value, from), to);
    const share = (position(within) - position(from)) / (position(to) - position(from));
    return Math.round((start + share * (end - start)) * 10) / 10;
  };
}

const text = (x: number, y: number, content: string, anchor = "start", className = "") =>
  `<text${className && ` class="${className}"`} x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
const line = (className: string, x1: number, x2: number, y1: number, y2: number) =>
  `<line class="${className}" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`;

export function renderChart({ title, description, heading, subtitle, x, y, series, rules = [] }: Chart): string {
  const xOf = scaleOf(x, frame.left, frame.right);
  const yOf = scaleOf(y, frame.bottom, frame.top);
  const { left, right, top, bottom } = frame;
  const grid = [
    ...y.ticks.map((tick) => line("grid", left, right, yOf(tick), yOf(tick))),
    ...y.ticks.map((tick) => text(left - 8, yOf(tick) + 4, tick.toLocaleString("en"), "end")),
    ...x.ticks.map((tick) => line("grid", xOf(tick), xOf(tick), top, bottom)),
    ...x.ticks.map((tick) => text(xOf(tick), bottom + 20, tick.toLocaleString("en"), "middle")),
    text((left + right) / 2, height - 14, x.label ?? "", "middle"),
  ];
  const ruled = rules.flatMap(({ at, axis, label }) =>
    axis === "y"
      ? [line("rule", left, right, yOf(at), yOf(at)), text(left + 6, yOf(at) - 6, label)]
      : [line("rule", xOf(at), xOf(at), top, bottom), text(xOf(at) + 6, top + 14, label)],
  );
  // Names are in a column beside the frame, each at its line's end or moved down to keep the distance.
  const nameYs = new Map<Series, number>();
  const endOf = ({ points }: Series) => yOf(points.at(-1)?.y ?? y.from);
  for (const each of series.filter(({ name }) => name !== undefined).sort((a, b) => endOf(a) - endOf(b))) {
    nameYs.set(each, Math.max(endOf(each), ([...nameYs.values()].at(-1) ?? 0) + nameGap));
  }
  const drawn = series.map((each) => {
    const { colour, marker, line: isLine = false, dash = "", points, labels = [], name } = each;
    const places = points.map((point) => ({ left: xOf(point.x), top: yOf(point.y) }));
    const path = places.map((place, index) => `${index === 0 ? "M" : "L"}${place.left} ${place.top}`).join("");
    const draw = marker === undefined ? () => "" : markers[marker];
    const nameY = nameYs.get(each) ?? 0;
    const parts = [
      isLine ? `<path class="line" stroke-dasharray="${dash}" d="${path}"/>` : "",
      `<g class="marks">${places.map((place) => draw(place.left, place.top)).join("")}</g>`,
      ...labels.map((label, index) => text(places[index]!.left + 10, places[index]!.top + 16, label, "start", "name")),
      name === undefined
        ? ""
        : `<g class="marks">${draw(right + 18, nameY)}</g>${text(right + 30, nameY + 4, name, "start", "name")}`,
    ];
    return `<g class="${colour}">${parts.join("")}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${title}</title>
<desc id="description">${description}</desc>
<style>${style}</style>
<rect class="paper" width="${width}" height="${height}"/>
${text(left, 24, heading, "start", "heading")}
${text(left, 43, subtitle)}
${[...grid, ...ruled, ...drawn].join("\n")}
</svg>
`;
}
