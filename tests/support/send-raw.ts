import { connect } from "node:net";

export type RawResponse = { status: number; headers: Headers; body: string };

function headersOf(lines: string[]): Headers {
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
  return headers;
}

/** Joins the chunks of a chunked body. The text has one character per byte. */
function joinChunks(text: string): string {
  let body = "";
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (!(size > 0)) break;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
  return body;
}

/** Returns the first response in what a server sent; null if there is none. The text has one character per byte. */
export function parseRawResponse(text: string): RawResponse | null {
  const match = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text);
  if (!match) return null;
  const [, status, lines = "", rest = ""] = match;
  const headers = headersOf(lines.split("\r\n").filter((line) => line.includes(":")));
  const isChunked = headers.get("transfer-encoding") === "chunked";
  const body = Buffer.from(isChunked ? joinChunks(rest) : rest, "latin1").toString("utf8");
  return { status: Number(status), headers, body };
}

type Options = {
  /** Loopback address to send from, which counts as a client of its own. */
  localAddress?: string;
  /** Whether to close the connection as soon as the bytes are sent. */
  closesAtOnce?: boolean;
};

/**
 * Sends bytes to a server on 127.0.0.1, and returns everything that it sends until it closes the connection. A string has
 * one character per byte.
 */
export function sendRaw(
  origin: string,
  bytes: string,
  { localAddress = "127.0.0.1", closesAtOnce = false }: Options = {},
): Promise<string> {
  return new Promise((settle) => {
    const socket = connect({ port: Number(new URL(origin).port), host: "127.0.0.1", localAddress });
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
    });
    socket.on("error", () => undefined);
    socket.once("close", () => settle(text));
    socket.write(bytes, "latin1", () => closesAtOnce && socket.destroy());
  });
}
