/** Types that may hold a text file; servers that do not know the file send the last two, or none at all. */
const textTypes = /^(?:text\/.+|application\/(?:x-)?markdown|(?:application|binary)\/octet-stream)$/;

/** Whether a content type may stand for a text file. */
export function isTextType(contentType: string | undefined): boolean {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase();
  return !type || textTypes.test(type);
}

/** Beginnings of files that may look like text for a while, in Latin-1. */
const signatures = [
  "%PDF-",
  "PK\x03\x04",
  "\x89PNG",
  "GIF8",
  "\xff\xd8\xff",
  "\x1f\x8b",
  "RIFF",
  "\x7fELF",
  "7z\xbc\xaf",
];

/** How much of a text is looked at, in characters. */
const sampleLength = 100_000;
/** Share of control characters from which on a text is none. */
const maxControlShare = 0.001;

/** Tab, line feed, vertical tab, form feed, carriage return and escape occur in text. */
function isControl(code: number): boolean {
  return code === 0x7f || (code < 0x20 && !(code >= 0x09 && code <= 0x0d) && code !== 0x1b);
}

/** Whether a body and what it was decoded to are binary, whatever its type says. */
export function isBinary(body: Uint8Array, text: string): boolean {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(8, body.byteLength)).toString("latin1");
  if (signatures.some((signature) => start.startsWith(signature)) || text.includes("\0")) return true;
  const length = Math.min(text.length, sampleLength);
  let controlCount = 0;
  for (let index = 0; index < length; index += 1) if (isControl(text.charCodeAt(index))) controlCount += 1;
  return controlCount > Math.max(1, length * maxControlShare);
}
