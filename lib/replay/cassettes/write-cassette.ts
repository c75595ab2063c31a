import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CassetteError } from "./decode-cassette";
import type { Cassette } from "./format";
import { parseCassette } from "./parse-cassette";
import { serializeCassette } from "./seal-cassette";
import { WriteError, writeFileAtomically } from "./write-file";

export type Destination = {
  /** Folder that holds the verticals. */
  folder: string;
  /** Whether an existing cassette may be replaced. */
  force: boolean;
};

export type WrittenCassette = {
  id: string;
  path: string;
  byteSize: number;
  end: Cassette["end"];
  chunkCount: number;
  durationMs: number;
  redactionCount: number;
};

function fail(path: string, code: string): never {
  throw new WriteError(path, Object.assign(new Error(code), { code }));
}

/**
 * Checks that a cassette can be written, before tokens are spent on recording it. Throws WriteError.
 */
export async function checkDestination(id: string, { folder, force }: Destination): Promise<void> {
  const path = join(folder, `${id}.json`);
  const info = await stat(path).catch(() => null);
  if (info?.isDirectory()) fail(path, "EISDIR");
  if (info && !force) fail(path, "EEXIST");
  const parent = join(path, "..");
  try {
    await mkdir(parent, { recursive: true });
    await access(parent, constants.W_OK);
  } catch (cause) {
    throw new WriteError(path, cause);
  }
}

/**
 * Writes a sealed cassette to `<folder>/<id>.json`, after verifying its bytes as replay does. Throws
 * CassetteError if replay would reject it, and WriteError.
 */
export async function writeCassette(cassette: Cassette, destination: Destination): Promise<WrittenCassette> {
  const { folder, force } = destination;
  const path = join(folder, `${cassette.id}.json`);
  const bytes = Buffer.from(serializeCassette(cassette), "utf8");
  try {
    parseCassette(bytes);
  } catch (cause) {
    throw new CassetteError(
      `${cassette.id} was not written because it could not be replayed: it ${(cause as Error).message}`,
    );
  }
  await writeFileAtomically(path, bytes, { replace: force });
  return {
    id: cassette.id,
    path,
    byteSize: bytes.byteLength,
    end: cassette.end,
    chunkCount: cassette.chunks.length,
    durationMs: cassette.chunks.reduce((sum, { delta_ms }) => sum + delta_ms, 0),
    redactionCount: cassette.request.redactions.length,
  };
}
