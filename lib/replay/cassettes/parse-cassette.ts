import { CassetteError, type DecodedCassette, decodeCassette } from "./decode-cassette";
import { hashBody, hashChunks } from "./encoding";
import { hashRequest } from "./request";

/** A cassette that passed its schema and its hashes, with decoded chunks. */
export type VerifiedCassette = DecodedCassette;

function checkHash(name: string, expected: string, actual: string): void {
  if (expected !== actual)
    throw new CassetteError(
      `${name} does not match: the file says ${expected}, the content has ${actual}. Files are not edited by hand, but with the command \`edit\``,
    );
}

/**
 * Parses a cassette file. Throws CassetteError if it is malformed, was altered (its hashes do not match), or exceeds a
 * limit.
 */
export function parseCassette(file: Uint8Array): VerifiedCassette {
  const decoded = decodeCassette(file);
  const { cassette, chunks } = decoded;
  const { request, integrity } = cassette;
  checkHash("request.sha256", request.sha256, hashRequest(request));
  checkHash("integrity.body_sha256", integrity.body_sha256, hashBody(chunks));
  checkHash("integrity.chunks_sha256", integrity.chunks_sha256, hashChunks(chunks));
  return decoded;
}
