import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { anthropic } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import { answerRequest } from "../request";
import { cassetteIdSchema } from "../schemas";
import { sealCassette, serializeCassette } from "../seal-cassette";
import { writeFileAtomically } from "../write-file";
import { authoredModel, composeStream, joinEvents, splitChunks } from "./compose-stream";
import { parseScript, ScriptError } from "./script";
import { createRandom } from "./seeded-random";

/**
 * Builds an authored cassette from a YAML script. The same script and id always give the same cassette, because the
 * seed and the date are part of the script. Throws ScriptError, whose message names the field.
 */
export function authorCassette(scriptText: string, id: string): Cassette {
  const checked = cassetteIdSchema.safeParse(id);
  if (!checked.success) throw new ScriptError(id, "id", checked.error.issues[0]?.message ?? "is not an id");
  const script = parseScript(scriptText, id);
  const random = createRandom(script.seed);
  const whole = joinEvents(composeStream(script, id, random));
  const chunks = script.split_bytes ? splitChunks(whole, random) : whole;
  return sealCassette({
    id,
    title: script.title,
    subtitle: script.subtitle,
    provider: anthropic,
    provenance: {
      kind: "authored",
      recorded_at: script.authored_at,
      // A fixed version, not the running one: a release must not change existing cassettes.
      recorder: "tapedeck/1.0.0",
      timing: "synthetic",
      clock: "none",
      boundary: script.split_bytes ? "http-read" : "sse-event",
      source: {
        author: "Tapedeck project",
        script: `${id}.yaml`,
        note: "Written for this project; not the output of a model.",
      },
    },
    request: answerRequest(anthropic, { model: authoredModel, ...script.request }),
    response: {
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
    },
    chunks,
    end: script.ending.error ? "error" : "complete",
  });
}

/** What was written, for the command line. */
export type AuthoredFile = { id: string; path: string; byteSize: number; chunkCount: number; durationMs: number };

/** Returns the id of a script: `legal/nda-review` for `…/legal/nda-review.yaml`. Throws ScriptError. */
function scriptId(scriptPath: string): string {
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
 * Builds a script and writes `<folder>/<slug>.json`, beside the script or under `outDirectory`. Throws ScriptError,
 * WriteError, and errors of the file system.
 */
export async function writeAuthoredFile(scriptPath: string, outDirectory?: string): Promise<AuthoredFile> {
  const id = scriptId(scriptPath);
  const cassette = authorCassette(await readFile(scriptPath, "utf8"), id);
  const text = serializeCassette(cassette);
  const path = join(outDirectory ?? dirname(dirname(resolve(scriptPath))), `${id}.json`);
  await writeFileAtomically(path, text, { replace: true });
  return describeFile(cassette, path, text);
}
