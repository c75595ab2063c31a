import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

/** A part of a multipart body: a short text or small text file as it is, anything else by its hash. */
type Part = {
  name: string | null;
  file: string | null;
  type: string | null;
  text?: string;
  size?: number;
  sha256?: string;
};

const maxPartCount = 1_000;
const maxTextByteSize = 10_000;
/** Largest file of UTF-8 that is stored whole. */
const maxFileByteSize = 100_000;

function parameterOf(header: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`[;\\s]${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? plain ?? null;
}

function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
}

/** Whether each line of a file is JSON, as of requests of a batch. Others, such as tables, may have secrets that are not known. */
function isJsonLines(text: string): boolean {
  try {
    for (const line of text.split("\n")) if (line.trim() !== "") JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function readPart(bytes: Buffer, hasTexts: boolean): Part | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = bytes.subarray(0, end).toString("utf8");
  const content = bytes.subarray(end + 4);
  const disposition = headerOf(head, "content-disposition");
  const file = parameterOf(disposition, "filename");
  const place = { name: parameterOf(disposition, "name"), file, type: headerOf(head, "content-type") || null };
  const maxByteSize = file === null ? maxTextByteSize : hasTexts ? maxFileByteSize : -1;
  if (content.length <= maxByteSize && isUtf8(content) && !content.includes(0)) {
    const text = content.toString("utf8");
    if (file === null || isJsonLines(text)) return { ...place, text };
  }
  return { ...place, size: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

/**
 * Returns the parts of a multipart body, without the boundary, which clients choose at random; null if the body is none or
 * is not well formed. Without `hasTexts`, files are read by their hashes only, as older tapes have them.
 */
export function readMultipart(contentType: string, body: Uint8Array, hasTexts = true): Part[] | null {
  const boundary = /^multipart\//i.test(contentType) ? parameterOf(contentType, "boundary") : null;
  if (boundary === null || boundary === "") return null;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = `--${boundary}`;
  const parts: Part[] = [];
  let at = bytes.indexOf(mark);
  while (at >= 0 && parts.length <= maxPartCount) {
    const start = at + mark.length;
    if (bytes.subarray(start, start + 2).toString("latin1") === "--") return parts;
    const next = bytes.indexOf(`\r\n${mark}`, start);
    const part = next < 0 ? null : readPart(bytes.subarray(start, next).subarray(2), hasTexts);
    if (part === null) return null;
    parts.push(part);
    at = next + 2;
  }
  return null;
}
