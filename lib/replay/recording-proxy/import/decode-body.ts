import { isUtf8 } from "node:buffer";
import { decoderFor, maxCassetteByteSize } from "#lib/replay/cassettes/index";

/**
 * Decodes a body by its `content-encoding`. Some tools decode bodies and leave the header, so what cannot be decoded and is
 * text is returned as it is. Throws if it is neither.
 */
export async function decodeBody(bytes: Uint8Array, encoding: string | undefined): Promise<Buffer> {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (given.length === 0) return given;
  try {
    const decoder = decoderFor(encoding, maxCassetteByteSize);
    if (!decoder) return given;
    const decoded = await decoder.decode(given).finally(() => decoder.close());
    if (decoded.length > 0) return Buffer.from(decoded);
  } catch (error) {
    if (!isUtf8(given)) throw error;
  }
  if (!isUtf8(given)) throw new Error(`its body is not complete ${encoding}`);
  return given;
}
