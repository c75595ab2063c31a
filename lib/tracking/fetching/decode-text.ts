import { isAscii } from "node:buffer";

/** Characters of windows-1252 from 0x80 to 0x9f. The five unassigned bytes map to themselves, as in browsers. */
const windows1252Characters = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * Decodes windows-1252, and Latin-1 as browsers do. Needed because Node 20's TextDecoder decodes 0x80 to 0x9f as control
 * characters.
 */
function decodeWindows1252(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return text.replace(/[\u0080-\u009f]/g, (byte) => windows1252Characters[byte.charCodeAt(0) - 0x80] ?? byte);
}

/** Byte-order marks and their encodings. */
const byteOrderMarks = [
  { bytes: [0xef, 0xbb, 0xbf], label: "utf-8" },
  { bytes: [0xfe, 0xff], label: "utf-16be" },
  { bytes: [0xff, 0xfe], label: "utf-16le" },
] as const;

/** Decodes strictly and keeps a byte-order mark. Undefined if the label is unknown or the bytes are not valid in it. */
function decodeAs(label: string, body: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return decoder.encoding === "windows-1252" ? decodeWindows1252(body) : decoder.decode(body);
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8 with some invalid bytes, which become U+FFFD. Undefined if they outnumber the valid non-ASCII ones. */
function decodeMostlyUtf8(body: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const brokenCount = text.split("\ufffd").length - 1;
  const otherCount = text.replace(/[\p{ASCII}\ufffd]+/gu, "").length;
  return brokenCount < otherCount ? text : undefined;
}

/** Returns the `charset` parameter of a content type. */
function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(contentType ?? "")?.[1];
}

/**
 * Returns the text if the bytes are UTF-8 and contain multi-byte sequences. Text in another charset almost never has only
 * valid ones, so this outweighs a declaration. UTF-16 is recognised by its NULs and is not read as UTF-8.
 */
function decodeEvidentUtf8(body: Uint8Array): string | undefined {
  return isAscii(body) || body.includes(0) ? undefined : decodeAs("utf-8", body);
}

/**
 * Decodes a body by its byte-order mark, otherwise as UTF-8 if it has valid multi-byte sequences, otherwise by the declared
 * charset, otherwise as windows-1252. A mark or charset that does not fit the bytes is ignored. A UTF-8 byte-order mark stays
 * in the text, a UTF-16 one does not.
 */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  const mark = byteOrderMarks.find(({ bytes }) => bytes.every((byte, index) => body[index] === byte));
  const marked = mark && decodeAs(mark.label, body);
  if (marked !== undefined) return mark?.label === "utf-8" ? marked : marked.slice(1);
  const evident = decodeEvidentUtf8(body);
  if (evident !== undefined) return evident;
  const charset = charsetOf(contentType);
  const declared = charset === undefined ? undefined : decodeAs(charset, body);
  return declared ?? decodeAs("utf-8", body) ?? decodeMostlyUtf8(body) ?? decodeWindows1252(body);
}
