import { createHash } from "node:crypto";
import type { RequestBody } from "#lib/replay/cassettes/index";

/** Longest body of bytes that is stored whole. */
const maxWholeByteSize = 10_000;

/** Returns bytes as they are stored and compared: long ones by their size and hash, as the files of multipart bodies are. */
export function summarizeBytes(bytes: Buffer): NonNullable<RequestBody> {
  if (bytes.length <= maxWholeByteSize) return { b: bytes.toString("base64") };
  return { json: { binary: { size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") } } };
}
