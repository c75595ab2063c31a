import { isUtf8 } from "node:buffer";
import { decodeReads } from "#lib/replay/cassettes/index";

/**
 * Decodes a body by its `content-encoding`. Some tools decode bodies and leave the header, so what cannot be decoded and is
 * text is returned as it is. Throws if it is neither.
 */
export async function decodeBody(bytes: Uint8Array, encoding: string | undefined): Promise<Buffer> {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (given.length === 0) return given;
  try {
    const [decoded] = await decodeReads([{ deltaMs: 0, bytes: given }], encoding);
    if (decoded) return Buffer.from(decoded.bytes);
  } catch (error) {
    if (!isUtf8(given)) throw error;
  }
  if (!isUtf8(given)) throw new Error(`its body is not complete ${encoding}`);
  return given;
}
