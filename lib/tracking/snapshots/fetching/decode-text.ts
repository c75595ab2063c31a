import { decodeWindows1252 } from "./windows-1252";

/** Byte-order marks, each with the encoding that it stands for. */
const marks = [
  { bytes: [0xef, 0xbb, 0xbf], label: "utf-8" },
  { bytes: [0xfe, 0xff], label: "utf-16be" },
  { bytes: [0xff, 0xfe], label: "utf-16le" },
] as const;

/** Decodes strictly; undefined where the label is unknown or the bytes are not of it. A byte-order mark stays. */
function decodeAs(label: string, body: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return decoder.encoding === "windows-1252" ? decodeWindows1252(body) : decoder.decode(body);
  } catch {
    return undefined;
  }
}

/** UTF-8 with a few broken bytes, which become U+FFFD; undefined where more is broken than whole. */
function decodeMostlyUtf8(body: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const brokenCount = text.split("\ufffd").length - 1;
  const otherCount = text.replace(/[\p{ASCII}\ufffd]+/gu, "").length;
  return brokenCount < otherCount ? text : undefined;
}

/** The `charset` parameter of a content type. */
function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(contentType ?? "")?.[1];
}

/**
 * A body as text: by its byte-order mark, else by the declared charset, else as UTF-8, else as windows-1252. What does
 * not fit its bytes counts as not declared. A UTF-8 byte-order mark stays in the text, one of UTF-16 does not.
 */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => body[index] === byte));
  const marked = mark && decodeAs(mark.label, body);
  if (marked !== undefined) return mark?.label === "utf-8" ? marked : marked.slice(1);
  const charset = charsetOf(contentType);
  const declared = charset === undefined ? undefined : decodeAs(charset, body);
  return declared ?? decodeAs("utf-8", body) ?? decodeMostlyUtf8(body) ?? decodeWindows1252(body);
}
