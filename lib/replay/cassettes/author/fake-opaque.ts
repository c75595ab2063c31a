import type { Random } from "./seeded-random";

/**
 * Base64 in the place of a signature or of encrypted content. Whoever decodes it reads that it was made up:
 * no provider signed or encrypted anything here.
 */
export function fakeOpaque(byteLength: number, random: Random): string {
  return Buffer.concat([Buffer.from("tapedeck-authored:"), random.bytes(byteLength)]).toString("base64");
}
