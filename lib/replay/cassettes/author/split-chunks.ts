import type { TimedChunk } from "#lib/replay/providers/index";
import type { Random } from "./seeded-random";

/** Share of the chunks that are split in two if the script splits at bytes. */
const cutShare = 0.6;
/** Share of the splits that are inside a multi-byte character, if the chunk has one. */
const innerCutShare = 0.8;

function pickCut(bytes: Uint8Array, random: Random): number {
  const inner = [...bytes.keys()].filter((position) => position > 0 && ((bytes[position] ?? 0) & 0xc0) === 0x80);
  const usesInner = inner.length > 0 && random.chance(innerCutShare);
  return usesInner ? (inner[random.integer(0, inner.length - 1)] ?? 1) : random.integer(1, bytes.length - 1);
}

/**
 * Splits chunks at arbitrary bytes, as a network does. The rest of a chunk arrives a moment later by itself, or with the
 * next chunk. The concatenated bytes stay the same.
 */
export function splitChunks(chunks: readonly TimedChunk[], random: Random): TimedChunk[] {
  const pieces: TimedChunk[] = [];
  let rest: Uint8Array = new Uint8Array();
  for (const [index, chunk] of chunks.entries()) {
    const bytes = Buffer.concat([rest, chunk.bytes]);
    rest = new Uint8Array();
    if (index === chunks.length - 1 || bytes.length < 2 || !random.chance(cutShare)) {
      pieces.push({ deltaMs: chunk.deltaMs, bytes });
      continue;
    }
    const cut = pickCut(bytes, random);
    pieces.push({ deltaMs: chunk.deltaMs, bytes: bytes.subarray(0, cut) });
    if (random.chance(0.5)) pieces.push({ deltaMs: random.between(0.3, 4), bytes: bytes.subarray(cut) });
    else rest = bytes.subarray(cut);
  }
  return pieces;
}
