import { type RecordedEvent, readEvents } from "../read-events";
import { ImportError } from "./import-error";
import type { Capture } from "./imported-stream";

/** One event's exact bytes, and its `type` where its data is JSON that names one; undefined for a comment alone. */
export type EventPiece = { bytes: Buffer; type: string | undefined };

/** An empty line: the end of an event, in each of the standard's three spellings of a line's end. */
const emptyLine = /(?:\r\n|\n|\r(?!\n)){2,}/g;

function typeOf({ json }: RecordedEvent): string {
  return typeof json?.type === "string" ? json.type : "";
}

/** An empty line is added for reading: the capture may end before its last one, or a line end may be half of one. */
function toPiece(bytes: Buffer): EventPiece {
  const [event] = readEvents([{ deltaMs: 0, bytes: Buffer.concat([bytes, Buffer.from("\n\n")]) }]);
  return { bytes, type: event && typeOf(event) };
}

/** Cuts a stream behind each event; joined, the pieces are the same bytes. */
export function splitEvents(bytes: Buffer): EventPiece[] {
  const pieces: EventPiece[] = [];
  let start = 0;
  // One character per byte: line ends are ASCII, and UTF-8 never hides one inside a character.
  for (const match of bytes.toString("latin1").matchAll(emptyLine)) {
    const end = match.index + match[0].length;
    pieces.push(toPiece(bytes.subarray(start, end)));
    start = end;
  }
  if (start < bytes.length) pieces.push(toPiece(bytes.subarray(start)));
  return pieces;
}

/** Refuses a stream of another protocol, or none at all. Throws ImportError. */
export function checkMessages(pieces: readonly EventPiece[], { file }: Pick<Capture, "file">): void {
  const types = pieces.map(({ type }) => type).filter((type) => type !== undefined);
  if (types.includes("message_start") || types.includes("error")) return;
  if (types.length === 0) throw new ImportError(file, "holds no server-sent event");
  const first = types.find((type) => type !== "");
  const found = first === undefined ? "its events name no type" : `its first event is ${first.slice(0, 60)}`;
  throw new ImportError(file, `is no stream of Anthropic Messages: there is no message_start, and ${found}`);
}

/** One event in the provider's spelling. */
export function formatEvent(type: string, data: string): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`, "utf8");
}
