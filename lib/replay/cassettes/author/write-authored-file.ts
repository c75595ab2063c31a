import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Cassette } from "../schemas";
import { serializeCassette } from "../seal-cassette";
import { writeFileAtomically } from "../write-file";
import { authorCassette } from "./author-cassette";
import { ScriptError } from "./script-error";

/** What was written, for a person to read. */
export type AuthoredFile = { id: string; path: string; byteSize: number; chunkCount: number; durationMs: number };

/** `…/legal/nda-review.yaml` is the script of `legal/nda-review`. Throws ScriptError. */
export function scriptId(scriptPath: string): string {
  const name = basename(scriptPath);
  const slug = name.replace(/\.ya?ml$/, "");
  if (slug === name) throw new ScriptError(scriptPath, "file name", "must end with .yaml");
  return `${basename(dirname(resolve(scriptPath)))}/${slug}`;
}

function describeFile(cassette: Cassette, path: string, text: string): AuthoredFile {
  return {
    id: cassette.id,
    path,
    byteSize: Buffer.byteLength(text),
    chunkCount: cassette.chunks.length,
    durationMs: cassette.chunks.reduce((sum, { delta_ms }) => sum + delta_ms, 0),
  };
}

/**
 * Builds a script and writes `<vertical>/<slug>.json`: beside the script, or under `outDirectory`.
 * Throws ScriptError, WriteError, and the file system's own errors.
 */
export async function writeAuthoredFile(scriptPath: string, outDirectory?: string): Promise<AuthoredFile> {
  const id = scriptId(scriptPath);
  const cassette = authorCassette(await readFile(scriptPath, "utf8"), id);
  const text = serializeCassette(cassette);
  const path = join(outDirectory ?? dirname(dirname(resolve(scriptPath))), `${id}.json`);
  await writeFileAtomically(path, text, { replace: true });
  return describeFile(cassette, path, text);
}
