import { readFile } from "node:fs/promises";
import { requireProvider } from "#lib/replay/providers/index";
import type { Cassette } from "./format";
import { parseCassette, type VerifiedCassette } from "./parse-cassette";
import { sealCassette, serializeCassette } from "./seal-cassette";
import { writeFileAtomically } from "./write-file";

/** Returns a cassette in the version of the format that is written now. Its response stays the same, byte for byte. */
export function upgradeCassette({ cassette, chunks }: VerifiedCassette): Cassette {
  const { id, title, subtitle, provenance, end, response } = cassette;
  const { sha256: _hash, ...request } = cassette.request;
  const { status, headers, wire } = response;
  return sealCassette({
    id,
    title,
    subtitle,
    provider: requireProvider(cassette.provider),
    provenance,
    request,
    response: { status, headers, contentEncoding: wire.content_encoding, wireBytes: wire.bytes },
    chunks,
    end,
  });
}

/**
 * Rewrites a cassette file in the current version of the format. Returns false, and writes nothing, if it has this
 * version. Throws CassetteError, WriteError, and errors of the file system.
 */
export async function upgradeFile(path: string): Promise<boolean> {
  const verified = parseCassette(await readFile(path));
  if (verified.cassette.schema === "cassette/2") return false;
  const upgraded = serializeCassette(upgradeCassette(verified));
  // What replay would reject is not written.
  const { cassette } = parseCassette(Buffer.from(upgraded));
  if (cassette.integrity.body_sha256 !== verified.cassette.integrity.body_sha256) {
    throw new Error("The upgraded cassette would have another body.");
  }
  await writeFileAtomically(path, upgraded, { replace: true });
  return true;
}
