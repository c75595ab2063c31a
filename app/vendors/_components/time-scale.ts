/** Room at both ends of a drawing, in percent of its width. */
const marginPercent = 2;

/** The place of a moment between two others, as an SVG attribute: percents need no size of the drawing. */
export function timeScale(from: Date, to: Date): (at: Date) => string {
  const spanMs = Math.max(1, to.getTime() - from.getTime());
  return (at) => {
    const share = Math.min(1, Math.max(0, (at.getTime() - from.getTime()) / spanMs));
    return `${(marginPercent + share * (100 - 2 * marginPercent)).toFixed(2)}%`;
  };
}
