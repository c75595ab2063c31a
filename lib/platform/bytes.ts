/** Bytes of texts, in Node.js and in browsers. `Buffer` as a free name would load a copy of it into pages. */

/** Its small allocations share memory; browsers have none. */
const nodeBuffer = (globalThis as { Buffer?: typeof Buffer }).Buffer;

const encoder = new TextEncoder();

export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return nodeBuffer?.from(text, "utf8") ?? encoder.encode(text);
}

/** Returns the text of UTF-8, with its byte order mark if it has one; other bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Decodes base64, or base64url. Browsers throw for anything else, which Node.js skips. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  if (nodeBuffer) return nodeBuffer.from(text, "base64");
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(decoded.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = decoded.charCodeAt(at);
  return bytes;
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
