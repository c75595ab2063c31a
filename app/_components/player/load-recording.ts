import { parseEvents } from "./parse-events";
import { bodyEvent, type PlayerEvent } from "./player-event";

/** The cassette to load, with the metadata that is needed to read its replay. */
export type RecordingSource = { id: string; status: number; isTruncated: boolean; chunkCount: number };

/** Reads the complete body. The replay of a truncated cassette breaks off, which is not an error. */
async function readBody(response: Response, isTruncated: boolean): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      text += decoder.decode(read.value, { stream: true });
  } catch (error) {
    if (!isTruncated) throw error;
  }
  return text + decoder.decode();
}

/**
 * Loads a cassette's events from the replay endpoint at full speed, so the player shows what any client gets. Rejects if
 * the endpoint does not respond, or responds with anything but the cassette.
 */
export async function loadRecording(source: RecordingSource, signal: AbortSignal): Promise<PlayerEvent[]> {
  const isStream = source.status === 200;
  const query = isStream ? "speed=max&ids=1" : "speed=max";
  const response = await fetch(`/api/v1/replay/${source.id}?${query}`, { signal });
  if (response.headers.get("x-replay-cassette") !== source.id) throw new Error(`HTTP ${response.status}`);
  const body = await readBody(response, source.isTruncated);
  return isStream ? parseEvents(body) : [bodyEvent(body, source)];
}
