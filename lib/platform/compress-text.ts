import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from "node:zlib";

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Compresses almost as well as the highest quality, in a fiftieth of the time. */
const quality = 5;
/** No stored text is larger. */
const maxByteSize = 64 * 1024 * 1024;

/** Up to this size a text is handled synchronously, which takes less time than a thread's round trip. */
const smallByteSize = 64 * 1024;
/** Binary logarithm of a window that all of a small text fits into: memory for more would have to be cleared. */
const smallWindow = 16;

/** Compresses a text's UTF-8 bytes with Brotli. */
export async function compressText(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(text, "utf8");
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
  const small = { params: { ...params, [constants.BROTLI_PARAM_LGWIN]: smallWindow } };
  const isSmall = bytes.byteLength < smallByteSize;
  return new Uint8Array(isSmall ? brotliCompressSync(bytes, small) : await compress(bytes, { params }));
}

function decompressSmall(compressed: Uint8Array): string | undefined {
  try {
    return brotliDecompressSync(compressed, { maxOutputLength: smallByteSize }).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

/** Decompresses what `compressText` returned. */
export async function decompressText(compressed: Uint8Array): Promise<string> {
  const small = compressed.byteLength < smallByteSize ? decompressSmall(compressed) : undefined;
  if (small !== undefined) return small;
  return (await decompress(compressed, { maxOutputLength: maxByteSize })).toString("utf8");
}
