/** Margin at both ends of a chart, in percent of its width. */
const marginPercent = 2;

/** Maps a time between two others to an SVG x position in percent, which is independent of the chart's width. */
export function timeScale(from: Date, to: Date): (at: Date) => string {
  const spanMs = Math.max(1, to.getTime() - from.getTime());
  return (at) => {
    const share = Math.min(1, Math.max(0, (at.getTime() - from.getTime()) / spanMs));
    return `${(marginPercent + share * (100 - 2 * marginPercent)).toFixed(2)}%`;
  };
}
