import { parseEvents } from "./parse-events";
import { bodyEvent, type PlayerEvent } from "./player-event";

/** What is to be loaded, and what it was when it was recorded. */
export type RecordingSource = { id: string; status: number; isTruncated: boolean; chunkCount: number };

/** The whole body, also of a recording that ends in the middle: its replay is cut off where it was. */
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
 * The events of a recording, from the replay endpoint at full speed: what the player shows is what any client gets.
 * Rejects where the endpoint does not answer, or with something else than the recording.
 */
export async function loadRecording(source: RecordingSource, signal: AbortSignal): Promise<PlayerEvent[]> {
  const isStream = source.status === 200;
  const query = isStream ? "speed=max&ids=1" : "speed=max";
  const response = await fetch(`/api/v1/replay/${source.id}?${query}`, { signal });
  if (response.headers.get("x-replay-cassette") !== source.id) throw new Error(`HTTP ${response.status}`);
  const body = await readBody(response, source.isTruncated);
  return isStream ? parseEvents(body) : [bodyEvent(body, source)];
}
