/** Speeds that the player offers; Infinity is `max`. */
export const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, Number.POSITIVE_INFINITY] as const;

/** Formats a speed for a URL: `4`, `max`. */
export function formatSpeed(speed: number): string {
  return Number.isFinite(speed) ? String(speed) : "max";
}

/** Parses the speed in a URL; returns 1 for anything that the player does not offer. */
export function parseSpeed(text: unknown): number {
  return speeds.find((speed) => formatSpeed(speed) === text) ?? 1;
}

/** Returns the next higher or lower speed, or the same at the ends. */
export function stepSpeed(speed: number, step: 1 | -1): number {
  const index = speeds.indexOf(speed as (typeof speeds)[number]);
  return speeds[Math.min(speeds.length - 1, Math.max(0, index + step))] ?? 1;
}
