/** One event of a cassette, as the player shows it. */
export type PlayerEvent = {
  /** Zero-based position in the stream. */
  number: number;
  /** Zero-based number of the chunk that completed it, which has its time. */
  chunk: number;
  event: string;
  data: string;
  json: Record<string, unknown> | null;
};

/** Parses a JSON object; returns null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return asObject(value);
  } catch {
    return null;
  }
}

/** Returns the value if it is an object, otherwise null. */
export function asObject(value: unknown): Record<string, unknown> | null {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** Returns the body of a response that is not a stream, such as a recorded 529, as a single event. */
export function bodyEvent(body: string, { status, chunkCount }: { status: number; chunkCount: number }): PlayerEvent {
  return { number: 0, chunk: chunkCount - 1, event: `HTTP ${status}`, data: body, json: parseObject(body) };
}
