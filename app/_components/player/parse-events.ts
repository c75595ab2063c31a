import { type PlayerEvent, parseObject } from "./player-event";

type Fields = { id: string; event: string; data: string[] };

/** Splits an SSE line into name and value; a comment has an empty name. */
function splitLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}

function readFields(lines: readonly string[]): Fields {
  const fields: Fields = { id: "", event: "message", data: [] };
  for (const line of lines) {
    const [name, value] = splitLine(line);
    if (name === "data") fields.data.push(value);
    else if (name === "id" || name === "event") fields[name] = value;
  }
  return fields;
}

/**
 * Parses a replay with `ids=1`, whose event ids start with the number of the event's chunk. Not with `eventsource-parser`,
 * which would add a kilobyte to every page with a player and lose the last event of a stream with CR line ends.
 */
export function parseEvents(text: string): PlayerEvent[] {
  const events: PlayerEvent[] = [];
  let lines: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line !== "") {
      lines.push(line);
      continue;
    }
    const { id, event, data } = readFields(lines);
    lines = [];
    if (data.length === 0) continue;
    const joined = data.join("\n");
    const chunk = Number.parseInt(id, 10) || 0;
    events.push({ number: events.length, chunk, event, data: joined, json: parseObject(joined) });
  }
  return events;
}

/** Returns the number of the chunk that contains the last byte before an offset. */
function chunkAt(byteOffset: number, byteSizes: readonly number[]): number {
  let end = 0;
  const chunk = byteSizes.findIndex((byteSize) => {
    end += byteSize;
    return end >= byteOffset;
  });
  return chunk < 0 ? byteSizes.length - 1 : chunk;
}

/** Parses a body of JSON lines, one event each, or any other body as one event. */
export function parseBody(text: string, source: { type: string; byteSizes: readonly number[] }): PlayerEvent[] {
  const encoder = new TextEncoder();
  const lines = source.type.includes("ndjson") ? (text.match(/[^\n]*(?:\n|$)/g) ?? []) : [text];
  let byteOffset = 0;
  return lines
    .flatMap((line) => {
      byteOffset += encoder.encode(line).length;
      const data = line.trim();
      if (data === "") return [];
      return { chunk: chunkAt(byteOffset, source.byteSizes), event: "message", data, json: parseObject(data) };
    })
    .map((event, number) => ({ number, ...event }));
}
