import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Cassette,
  cassetteSchema,
  joinParent,
  maxCassetteByteSize,
  objectOf,
  type RequestBody,
  serializeCassette,
  storableText,
  WriteError,
} from "#lib/replay/cassettes/index";
import { isModelCall, localName } from "#lib/replay/interception/index";
import { findProvider, type Provider } from "#lib/replay/providers/index";
import { summarizeBytes } from "./binary-body";
import { type RunPlace, recordedPlace, recordedSentAt } from "./run-place";
import { TapeError } from "./tape-error";
import { parseTapeJson } from "./tape-file";

const requestSchema = cassetteSchema
  .pick({ id: true, provider: true, request: true, end: true })
  .extend({ provenance: cassetteSchema.shape.provenance.pick({ kind: true, recorded_at: true, source: true }).loose() })
  .loose();

export type StoredFile = {
  file: string;
  id: string;
  provider: Provider;
  request: Cassette["request"];
  /** Where and when it was sent. */
  place: RunPlace;
  sentAt: string | undefined;
  isImported: boolean;
  /** Whether the answer is an error, or ended with one. */
  isError: boolean;
};

/** Returns the bytes of a cassette's file. Throws WriteError if no replay would read it. */
export function encodeFile(path: string, cassette: Cassette): Buffer {
  const bytes = Buffer.from(serializeCassette(cassette));
  if (bytes.length <= maxCassetteByteSize) return bytes;
  const reason = "its recording would be larger than 64 MiB, as binary answers of more than 48 MiB are in base64";
  throw new WriteError(path, new Error(reason));
}

/** Reads what a cassette file is matched by; its answer is checked when it is played. Throws TapeError. */
export function readStored(folder: string, file: string): StoredFile {
  const path = join(folder, file);
  const parsed = requestSchema.safeParse(parseTapeJson(readFileSync(path, "utf8"), path));
  const provider = parsed.success ? findProvider(parsed.data.provider) : undefined;
  if (parsed.success && provider) {
    const { id, request, provenance, end } = parsed.data;
    const isImported = provenance.kind === "imported";
    const sent = { place: recordedPlace(provenance), sentAt: recordedSentAt(provenance) };
    return { file, id, provider, request, ...sent, isImported, isError: end === "error" };
  }
  const [issue] = parsed.error?.issues ?? [];
  throw new TapeError(`${path}: ${issue?.path.join(".") || "the file"}: ${issue?.message ?? "unknown provider"}`);
}

/**
 * Returns the hosts of which a tape has all requests: those of imported recordings, and those that were named when they were
 * recorded. Of any other host, only what is recognized as a call of a model is on the tape.
 */
export function findWholeHosts(
  stored: readonly StoredFile[],
  bodies: ReadonlyMap<string, RequestBody>,
): ReadonlySet<string> {
  const isWhole = ({ id, isImported, request: { method, path } }: StoredFile) => {
    const body = bodies.get(id);
    return isImported || !isModelCall(method, path, body && "json" in body ? body.json : null);
  };
  return new Set(stored.flatMap((file) => (file.request.host && isWhole(file) ? [localName(file.request.host)] : [])));
}

/** Puts requests together that leave out what the turn before has. Throws TapeError. */
export function completeRequests(folder: string, stored: readonly StoredFile[]): Map<string, RequestBody> {
  const byId = new Map(stored.map((each) => [each.id, each]));
  const bodies = new Map<string, RequestBody>();
  const complete = ({ id, file, request }: StoredFile, depth: number): RequestBody => {
    const known = bodies.get(id);
    if (known !== undefined) return known;
    const parent = request.parent && byId.get(request.parent.id);
    let body = request.body;
    // Version 1.0 stored long bodies of bytes whole, and control characters as text.
    if (body && "b" in body) body = summarizeBytes(Buffer.from(body.b, "base64"));
    else if (body && "s" in body && storableText(Buffer.from(body.s)) === null)
      body = summarizeBytes(Buffer.from(body.s));
    if (request.parent) {
      const whole = parent && depth < stored.length ? joinParent(request, objectOf(complete(parent, depth + 1))) : null;
      if (!whole)
        throw new TapeError(`${join(folder, file)} continues ${request.parent.id}, which is missing or was changed`);
      body = { json: whole };
    }
    bodies.set(id, body);
    return body;
  };
  for (const each of stored) complete(each, 0);
  return bodies;
}
