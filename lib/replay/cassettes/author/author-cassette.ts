import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { framingOf, readEvents, type TimedChunk } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import { hashForMatch, omitShared } from "../request";
import { cassetteIdSchema } from "../schemas";
import { sealCassette } from "../seal-cassette";
import { type WrittenCassette, writeCassette } from "../write-cassette";
import { checkRequest, checkScript } from "./check-script";
import {
  authoredModel,
  type Composer,
  composeEvents,
  type Json,
  joinEvents,
  readField,
  type ToolResult,
} from "./compose-stream";
import { requireComposer } from "./composers";
import { estimateUsage } from "./estimate-usage";
import { parseScript, type Script } from "./script";
import { type Problem, ScriptError, throwProblems } from "./script-basics";
import { createRandom, type Random } from "./seeded-random";
import { varySseForm } from "./vary-sse-form";

/** A turn that another one continues: its complete request, and its answer as the same call returns it without streaming. */
type Turn = { id: string; composer: Composer; body: Json; answer: Json };

type StoredRequest = Omit<Cassette["request"], "sha256">;

function toResults({ answer, composer, id: parentId }: Turn, script: Script, id: string): ToolResult[] {
  const { ids, parts } = composer.provider.readAnswer(answer);
  const calls = parts.flatMap((part) => (part.kind === "tool" && !part.isServer ? [part.name] : []));
  const outputs = script.results ?? [];
  if (calls.length !== outputs.length) {
    throw new ScriptError(id, "results", `has ${outputs.length} items, but ${parentId} calls ${calls.length} tools`);
  }
  // The ids of the calls come after that of the response.
  const callIds = ids.slice(ids.length - calls.length);
  return calls.map((name, index) => ({ name, callId: callIds[index] as string, output: outputs[index] as string }));
}

/** Returns the items of a history, which can be the text of a message. */
function itemsOf(history: unknown): Json[] {
  return typeof history === "string" ? [{ role: "user", content: history }] : (history as Json[]);
}

type CompleteInput = { composer: Composer; id: string; parent: Turn | undefined };

/** Returns a script's request: for a later turn, what a client sends that appended the answer and the results. */
function joinTurns(script: Script, { composer, id, parent }: CompleteInput): Json {
  if (!parent) {
    if (script.results) throw new ScriptError(id, "results", "needs continues");
    return script.request;
  }
  if (parent.composer !== composer) {
    const [own, other] = [composer.provider.name, parent.composer.provider.name];
    throw new ScriptError(id, "provider", `is ${own}, but ${parent.id} is a cassette of ${other}`);
  }
  const field = composer.provider.historyField.slice(1);
  const results = toResults(parent, script, id);
  const history = [
    ...itemsOf(parent.body[field]),
    ...composer.answerItems(parent.answer),
    ...(results.length > 0 ? composer.resultItems(results) : []),
    ...itemsOf(script.request[field] ?? []),
  ];
  return { ...parent.body, ...script.request, [field]: history };
}

/** Returns the complete body of a script's request, and what is wrong with it. Throws ScriptError. */
function completeBody(script: Script, input: CompleteInput): { body: Json; problems: Problem[] } {
  const { provider, addToRequest } = input.composer;
  const { model: _model, ...request } = joinTurns(script, input);
  const checked = checkRequest({ ...request, ...addToRequest?.(request) }, input.composer);
  // Without the model if the provider's path names it.
  const body = { ...provider.upstream.bodyOf({ model: authoredModel }), ...checked.request };
  return { body, problems: checked.problems };
}

/** Returns the request as it is stored: without the messages that the turn before has too. */
function toStoredRequest(body: Json, { provider }: Composer, parent: Turn | undefined): StoredRequest {
  const place = provider.upstream.pathOf(body, { model: authoredModel, isStream: true });
  const request = (json: Json): StoredRequest => ({ method: "POST", ...place, body: { json }, redactions: [] });
  if (!parent) return request(body);
  const complete = request(body);
  const { body: rest, parent: link } = omitShared(body, parent, provider.historyField);
  const answers = provider.readQuestion({ method: "POST", ...place, body }).assistantTurns;
  return { ...request(rest), parent: { ...link, answers, match_sha256: hashForMatch(provider, complete) } };
}

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
function splitChunks(chunks: readonly TimedChunk[], random: Random): TimedChunk[] {
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

/** Returns the text of another script, given its id. Throws if there is none. */
export type ReadScript = (id: string) => string;

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
  const { body, problems } = completeBody(parsed, { composer, id, parent });
  const script = { ...parsed, request: body };
  throwProblems(id, [...problems, ...checkScript({ script, composer })]);
  const limit = readField(body, limitField);
  const usage = estimateUsage(script, { id, limit: typeof limit === "number" ? limit : undefined, limitField });
  const random = createRandom(script.seed);
  const events = composeEvents(composer, { script, id, model: authoredModel, usage, random });
  const whole = joinEvents(script.sse_forms ? events.map(varySseForm) : events);
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

/** Returns the id of a script: `legal/nda-review` for `…/legal/nda-review.yaml`. Throws ScriptError. */
function scriptId(scriptPath: string): string {
  const name = basename(scriptPath);
  const slug = name.replace(/\.ya?ml$/, "");
  if (slug === name) throw new ScriptError(scriptPath, "file name", "must end with .yaml");
  return `${basename(dirname(resolve(scriptPath)))}/${slug}`;
}

/**
 * Builds a script and writes `<folder>/<slug>.json`, beside the script or under `outDirectory`. The scripts that it
 * continues are read from the folders beside it. Throws ScriptError, WriteError, and errors of the file system.
 */
export async function writeAuthoredFile(scriptPath: string, outDirectory?: string): Promise<WrittenCassette> {
  const id = scriptId(scriptPath);
  const root = dirname(dirname(resolve(scriptPath)));
  const readScript = (other: string) => readFileSync(join(root, `${other}.yaml`), "utf8");
  const cassette = authorCassette(readFileSync(scriptPath, "utf8"), id, readScript);
  return writeCassette(cassette, { folder: outDirectory ?? root, force: true });
}
