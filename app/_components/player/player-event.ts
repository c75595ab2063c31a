/** One event of a recording as the player shows it. */
export type PlayerEvent = {
  /** Its place in the stream, from 0. */
  number: number;
  /** Zero-based number of the chunk that completed it: tells its time. */
  chunk: number;
  event: string;
  data: string;
  json: Record<string, unknown> | null;
};

/** JSON of an object, null of anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return asObject(value);
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Record<string, unknown> | null {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** The body of an answer that is no stream, such as a recorded 529, as its one event. */
export function bodyEvent(body: string, { status, chunkCount }: { status: number; chunkCount: number }): PlayerEvent {
  return { number: 0, chunk: chunkCount - 1, event: `HTTP ${status}`, data: body, json: parseObject(body) };
}
