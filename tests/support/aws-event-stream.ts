import { crc32 } from "node:zlib";

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a header of a message; all have strings as values. */
function headerOf([name, value]: readonly [string, string]): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  const stringType = 7;
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(stringType), length, Buffer.from(value)]);
}

/** Returns an event in the binary framing in which Amazon Bedrock streams. */
export function awsEvent(type: string, body: object): Buffer {
  const headers = Buffer.concat(
    (
      [
        [":message-type", "event"],
        [":event-type", type],
        [":content-type", "application/json"],
      ] as const
    ).map(headerOf),
  );
  const payload = Buffer.from(JSON.stringify(body));
  // Lengths and checksums are 16 bytes.
  const lengths = Buffer.concat([uint32(headers.length + payload.length + 16), uint32(headers.length)]);
  const message = Buffer.concat([lengths, uint32(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, uint32(crc32(message))]);
}

/** Returns the events of an answer of Bedrock's Converse, with a piece of the text for each word. */
export function converseStream(text: string): Buffer {
  return Buffer.concat([
    awsEvent("messageStart", { role: "assistant" }),
    ...text
      .split(/(?= )/)
      .map((piece) => awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: piece } })),
    awsEvent("messageStop", { stopReason: "end_turn" }),
  ]);
}
