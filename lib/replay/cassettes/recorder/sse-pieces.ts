/** A part of an event stream: the data of one event, or lines that carry none. `start` is its place in the body. */
export type SsePiece = { isData: boolean; start: number; text: string };

/** A line and its end, as the standard has them. */
const linePattern = /([^\r\n]*)(?:\r\n|\n|\r|$)/g;

/**
 * Cuts a body, one character per byte, into the data of its events and everything else. Data of several lines
 * keeps what stands between the lines, so that places stay those of the body. A body without any data is one piece.
 */
export function ssePieces(body: string): SsePiece[] {
  const pieces: SsePiece[] = [];
  let current: SsePiece | undefined;
  for (const match of body.matchAll(linePattern)) {
    const line = match[1] ?? "";
    if (match.index >= body.length) break;
    if (line === "") {
      current = undefined;
      continue;
    }
    const isData = line.startsWith("data:");
    const end = match.index + line.length;
    if (current?.isData === isData) {
      current.text = body.slice(current.start, end);
      continue;
    }
    const start = match.index + (isData ? (line[5] === " " ? 6 : 5) : 0);
    current = { isData, start, text: body.slice(start, end) };
    pieces.push(current);
  }
  return pieces.some(({ isData }) => isData) ? pieces : [{ isData: false, start: 0, text: body }];
}
