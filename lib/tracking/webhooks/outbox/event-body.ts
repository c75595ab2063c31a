type EventContent = { id: string; type: string; at: Date; data: unknown; isTest?: boolean };

/** The body of every delivery of an event. It is made once and kept, so that each attempt sends the same bytes. */
export function eventBody({ id, type, at, data, isTest = false }: EventContent): string {
  return JSON.stringify({ id, type, created_at: at.toISOString(), ...(isTest && { test: true }), data });
}
