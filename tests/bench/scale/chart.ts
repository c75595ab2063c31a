import { chartStyle } from "../replay/chart";
import type { Rate } from "./bench";

const [width, height] = [720, 360];
const frame = { left: 64, right: 120, top: 56, bottom: 56 };
const [plotWidth, plotHeight] = [width - frame.left - frame.right, height - frame.top - frame.bottom];
const tickCount = 5;

/** Draws files per second over the number of workers, beside a line of one worker's rate times their number. */
export function renderChart(rates: readonly Rate[]): string {
  const single = rates[0]?.filesPerSecond ?? 1;
  const maxWorkers = Math.max(...rates.map(({ workers }) => workers));
  const step = Math.ceil((single * maxWorkers) / tickCount / 5) * 5;
  const x = (workers: number) => Math.round(frame.left + (workers / maxWorkers) * plotWidth);
  const y = (files: number) => Math.round(height - frame.bottom - (files / (step * tickCount)) * plotHeight);
  const grid = Array.from({ length: tickCount + 1 }, (_, index) => index * step).map(
    (files) =>
      `<line class="grid" x1="${frame.left}" x2="${width - frame.right}" y1="${y(files)}" y2="${y(files)}"/>` +
      `<text x="${frame.left - 8}" y="${y(files) + 4}" text-anchor="end">${files}</text>`,
  );
  const ticks = rates.map(
    ({ workers }) => `<text x="${x(workers)}" y="${height - frame.bottom + 20}" text-anchor="middle">${workers}</text>`,
  );
  const path = rates.map(({ workers, filesPerSecond }, index) => {
    return `${index === 0 ? "M" : "L"}${x(workers)} ${y(filesPerSecond)}`;
  });
  const marks = rates.map(({ workers, filesPerSecond }) => {
    const [left, top] = [x(workers), y(filesPerSecond)];
    return `<circle cx="${left}" cy="${top}" r="4"/><text class="name" x="${left + 10}" y="${top + 16}">${Math.round(filesPerSecond)}</text>`;
  });
  const described = rates.map(({ workers, filesPerSecond }) => `${workers}: ${Math.round(filesPerSecond)}`).join(", ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">Files per second against the number of workers</title>
<desc id="description">Files per second by number of workers: ${described}. The dashed line is the rate of one worker times their number.</desc>
<style>${chartStyle}</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="heading" x="${frame.left}" y="24">Files per second</text>
<text x="${frame.left}" y="43">hosts that answer in 100 to 500 ms, 8 fetches at a time in each worker</text>
${[...grid, ...ticks].join("\n")}
<text x="${frame.left + plotWidth / 2}" y="${height - 14}" text-anchor="middle">workers</text>
<g class="bare"><path class="line" stroke-dasharray="6 4" d="M${x(0)} ${y(0)}L${x(maxWorkers)} ${y(single * maxWorkers)}"/></g>
<g class="tapedeck"><path class="line" d="${path.join("")}"/><g class="marks">${marks.join("")}</g></g>
</svg>
`;
}
