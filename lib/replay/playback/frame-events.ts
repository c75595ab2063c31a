import type { Recording } from "#lib/replay/cassettes/index";

/** A recording cut into its SSE events, each with an id to resume from. */
export type EventFrames = { frames: Uint8Array[]; dueMs: Float64Array; ids: string[] };

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Offsets just after each blank line of the body: where events end. Line ends are LF, CRLF or CR. */
function eventEnds(body: Uint8Array): number[] {
  const ends: number[] = [];
  let lineIsEmpty = true;
  let offset = 0;
  while (offset < body.length) {
    const byte = body[offset++];
    if (byte !== newline && byte !== carriageReturn) {
      lineIsEmpty = false;
      continue;
    }
    if (byte === carriageReturn && body[offset] === newline) offset += 1;
    if (lineIsEmpty) ends.push(offset);
    lineIsEmpty = true;
  }
  if ((ends.at(-1) ?? 0) < body.length) ends.push(body.length);
  return ends;
}

/** For each event end, the number of the chunk that holds the event's last byte. */
function chunksOf(ends: readonly number[], recording: Recording): number[] {
  let chunk = 0;
  let chunkEnd = recording.chunks[0]?.length ?? 0;
  return ends.map((end) => {
    while (end > chunkEnd) chunkEnd += recording.chunks[++chunk]?.length ?? 0;
    return chunk;
  });
}

/**
 * Cuts a recording into one frame per event with an `id:` line in front, so that a client can resume. The id is the
 * number of the chunk that completed the event; where a chunk completes several, all but the last carry `-<n>`.
 */
export function frameEvents(recording: Recording): EventFrames {
  const body = Buffer.concat(recording.chunks as Uint8Array[]);
  const ends = eventEnds(body);
  const chunkNumbers = chunksOf(ends, recording);
  const ids = chunkNumbers.map((chunk, index) => {
    if (chunkNumbers[index + 1] !== chunk) return String(chunk);
    return `${chunk}-${index - chunkNumbers.indexOf(chunk)}`;
  });
  const frames = ends.map((end, index) =>
    Buffer.concat([Buffer.from(`id: ${ids[index]}\n`), body.subarray(ends[index - 1] ?? 0, end)]),
  );
  return { frames, ids, dueMs: Float64Array.from(chunkNumbers, (chunk) => recording.dueMs[chunk] as number) };
}
