import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { framingOf, readEvents } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import { cassetteIdSchema } from "../schemas";
import { sealCassette, serializeCassette } from "../seal-cassette";
import { writeFileAtomically } from "../write-file";
import { checkScript } from "./check-script";
import { completeBody, type Turn, toStoredRequest } from "./complete-request";
import { joinEvents, readField } from "./compose-stream";
import { requireComposer } from "./composers";
import { estimateUsage } from "./estimate-usage";
import { parseScript, ScriptError } from "./script";
import { createRandom } from "./seeded-random";
import { splitChunks } from "./split-chunks";

/** Returns the text of another script, given its id. Throws if there is none. */
export type ReadScript = (id: string) => string;

/** Most turns of an authored conversation. */
const maxTurnCount = 50;

function readParent(id: string, readScript: ReadScript): string {
  try {
    return readScript(id);
  } catch (cause) {
    throw new ScriptError(id, "", `cannot be read: ${(cause as Error).message}`, { cause });
  }
}

type BuildInput = { id: string; readScript: ReadScript; turnCount: number };

/** Builds a script, after those that it continues. */
function build(scriptText: string, { id, readScript, turnCount }: BuildInput): { cassette: Cassette; turn: Turn } {
  const checked = cassetteIdSchema.safeParse(id);
  if (!checked.success) throw new ScriptError(id, "id", checked.error.issues[0]?.message ?? "is not an id");
  if (turnCount > maxTurnCount)
    throw new ScriptError(id, "continues", `leads back over more than ${maxTurnCount} turns`);
  const parsed = parseScript(scriptText, id);
  const { continues } = parsed;
  const parent =
    continues === undefined
      ? undefined
      : build(readParent(continues, readScript), { id: continues, readScript, turnCount: turnCount + 1 }).turn;

  const composer = requireComposer(parsed.provider);
  const { provider, limitField } = composer;
  const { contentType } = provider.stream;
  const body = completeBody(parsed, { composer, id, parent });
  const script = { ...parsed, request: body };
  checkScript({ script, composer, id });
  const limit = readField(body, limitField);
  const usage = estimateUsage(script, { id, limit: typeof limit === "number" ? limit : undefined, limitField });
  const random = createRandom(script.seed);
  const whole = joinEvents(composer.compose({ script, id, usage, random }));
  const chunks = script.split_bytes ? splitChunks(whole, random) : whole;
  const cassette = sealCassette({
    id,
    title: script.title,
    subtitle: script.subtitle,
    provider,
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
    request: toStoredRequest(body, composer, parent),
    response: { status: 200, headers: { "content-type": contentType, "cache-control": "no-cache" } },
    chunks,
    end: script.ending.error ? "error" : "complete",
  });
  const answer = provider.fold(readEvents(chunks, framingOf(contentType))).body ?? {};
  return { cassette, turn: { id, composer, body, answer } };
}

/**
 * Builds an authored cassette from a YAML script. The same script and id always give the same cassette, because the
 * seed and the date are part of the script. `readScript` finds the scripts that this one continues. Throws ScriptError,
 * whose message names the field.
 */
export function authorCassette(scriptText: string, id: string, readScript: ReadScript): Cassette {
  return build(scriptText, { id, readScript, turnCount: 1 }).cassette;
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
 * Builds a script and writes `<folder>/<slug>.json`, beside the script or under `outDirectory`. The scripts that it
 * continues are read from the folders beside it. Throws ScriptError, WriteError, and errors of the file system.
 */
export async function writeAuthoredFile(scriptPath: string, outDirectory?: string): Promise<AuthoredFile> {
  const id = scriptId(scriptPath);
  const root = dirname(dirname(resolve(scriptPath)));
  const readScript = (other: string) => readFileSync(join(root, `${other}.yaml`), "utf8");
  const cassette = authorCassette(readFileSync(scriptPath, "utf8"), id, readScript);
  const text = serializeCassette(cassette);
  const path = join(outDirectory ?? root, `${id}.json`);
  await writeFileAtomically(path, text, { replace: true });
  return describeFile(cassette, path, text);
}
