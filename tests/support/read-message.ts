import { anthropic, readEvents, type TimedChunk } from "#lib/replay/providers/index";

/** Returns the message in a recorded stream of Anthropic Messages, the error in it, and whether it ended properly. */
export function readMessage(chunks: readonly TimedChunk[]) {
  const { body, error, isEnded } = anthropic.fold(readEvents(chunks, "sse"));
  return { message: body, error: error?.error ?? null, stopped: isEnded };
}
