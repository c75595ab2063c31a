/** Speeds that the player offers; Infinity is `max`. */
export const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, Number.POSITIVE_INFINITY] as const;

/** As it stands in an address: `4`, `max`. */
export function speedText(speed: number): string {
  return Number.isFinite(speed) ? String(speed) : "max";
}

/** The speed of an address; anything that the player does not offer is 1. */
export function parseSpeed(text: string | null | undefined): number {
  return speeds.find((speed) => speedText(speed) === text) ?? 1;
}

/** The next speed up or down; the ends stay. */
export function stepSpeed(speed: number, step: 1 | -1): number {
  const index = speeds.indexOf(speed as (typeof speeds)[number]);
  return speeds[Math.min(speeds.length - 1, Math.max(0, index + step))] ?? 1;
}

/** A moment as it stands in an address, in seconds: rounded up, so that the chunk of that moment has come. */
export function positionText(positionMs: number): string {
  return String(Math.ceil(positionMs) / 1_000);
}

/** Milliseconds of `?t=` in seconds; null where it is absent or no time of the recording. */
export function parsePosition(text: string | null | undefined, durationMs: number): number | null {
  if (!text || !/^\d{1,5}(\.\d{1,3})?$/.test(text)) return null;
  return Math.min(durationMs, Number(text) * 1_000);
}
