import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { decodeUrlPart } from "#lib/platform/parse-url";
import {
  type Cassette,
  cassetteEnding,
  objectOf,
  parseCassette,
  recordedAtOf,
  tapeFileName,
} from "#lib/replay/cassettes/index";
import { asObject, findProvider, http, objectsOf, type Provider, textOrNull } from "#lib/replay/providers/index";
import { type AnsweredModel, isKnownModel, readAnsweredModel } from "./answered-model";
import { TapeError } from "./tape-error";
import { compareFiles, isUnfinished, parseTapeJson } from "./tape-file";
import type { TapeRequest } from "./tape-request";

/** What a recording says of the model that was called. */
export type RecordedCall = AnsweredModel & {
  test: string;
  file: string;
  host: string;
  /** `POST api.openai.com/v1/responses`; null if the host is not known. */
  operation: string | null;
  /** Null if it is not known. */
  recordedAt: string | null;
  /** As the request names it; null if it names none. */
  model: string | null;
  /** Whether it asks a model of a known protocol. */
  asksModel: boolean;
  /** The response's headers of RFC 9745 and RFC 8594, as recorded. */
  deprecation: string | null;
  sunset: string | null;
};

/** A model in the path of a request, as of Bedrock and Vertex, and Azure's name of a deployment. */
const modelInPath = /\/models?\/([^/]+?)(?::[A-Za-z]+)?(?:\/|$)/;
const deploymentInPath = /\/deployments\/([^/]+)\//;

/** Whether a request asks a model of a known protocol. */
export function asksModel(provider: Provider, request: Pick<TapeRequest, "method" | "path">): boolean {
  const operation = provider.operationOf(request);
  return operation === "generate" || operation === "embeddings";
}

/** Returns the model that a request names, in its body, query or path; null if it names none. */
export function modelOf(provider: Provider, request: TapeRequest): string | null {
  const body = objectOf(request.body);
  const { path, query } = request;
  const field = objectsOf(body?.multipart).find(({ name }) => name === "model");
  const [, named] = modelInPath.exec(path) ?? ((asksModel(provider, request) && deploymentInPath.exec(path)) || []);
  return (
    provider.readQuestion({ ...request, body }).model ??
    textOrNull(field?.text) ??
    new URLSearchParams(query).get("model") ??
    (named === undefined ? null : (decodeUrlPart(named) ?? named))
  );
}

/** Where the answer begins in a recording as it is written: line ends inside of strings are escaped. */
const answerStart = Buffer.from(',\n  "chunks": [');

type Head = Pick<Cassette, "provider" | "request" | "response"> & Partial<Pick<Cassette, "provenance">>;

class HeadReader {
  /** Is used for every file: most of the time would go into new ones. */
  #bytes = Buffer.alloc(64 * 1024);

  /** Reads a recording up to its answer, or all of it if it is formatted differently. Throws TapeError. */
  read(path: string): Head {
    const file = openSync(path, "r");
    try {
      for (let length = 0; ; this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])) {
        const count = readSync(file, this.#bytes, length, this.#bytes.length - length, null);
        const known = this.#bytes.subarray(0, length + count);
        const end = known.indexOf(answerStart, Math.max(0, length - answerStart.length));
        length += count;
        if (end >= 0) return parseTapeJson(`${known.toString("utf8", 0, end)}}`, path) as Head;
        if (length < this.#bytes.length) return parseTapeJson(known.toString("utf8"), path) as Head;
      }
    } finally {
      closeSync(file);
    }
  }
}

/** Reads what the answer in a recording says of the model; nothing if it cannot be read or was edited. */
function readAnswer(path: string, asked: Parameters<typeof readAnsweredModel>[0]): AnsweredModel {
  const none = { answered: null, isGone: false };
  try {
    const { cassette, chunks } = parseCassette(readFileSync(path));
    return cassette.provenance.edited === undefined ? readAnsweredModel(asked, { ...cassette.response, chunks }) : none;
  } catch {
    return none;
  }
}

function describeCall(
  test: string,
  path: string,
  { provider: name, request, response, provenance }: Head,
): RecordedCall {
  if (!request?.path || !response?.headers) throw new TapeError(`${path} is not a recording`);
  const { deprecation = null, sunset = null } = response.headers;
  const { host = "" } = request;
  const provider = findProvider(name) ?? http;
  const asked = { provider, model: modelOf(provider, request), host, path: request.path };
  const isModelCall = asksModel(provider, request);
  const hasMore = response.status === 404 || !isKnownModel(asked);
  return {
    test,
    file: path,
    host,
    operation: host === "" ? null : `${request.method} ${host}${request.path.replace(/\/+$/, "")}`,
    recordedAt: provenance ? textOrNull(recordedAtOf(provenance)) : null,
    model: asked.model,
    asksModel: isModelCall,
    ...(hasMore && (isModelCall || asked.model !== null) ? readAnswer(path, asked) : { answered: null, isGone: false }),
    deprecation,
    sunset,
  };
}

/** Returns the folders with a tape below a folder, in order, each with the names of its recordings. */
function listRecordings(root: string): [string, string[]][] {
  const tapes = new Set<string>();
  const files = new Map<string, string[]>();
  // One after another and with nothing else to do, reading is faster without promises.
  for (const { name, parentPath } of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (name === tapeFileName) tapes.add(parentPath);
    if (!name.endsWith(cassetteEnding)) continue;
    const known = files.get(parentPath);
    if (known) known.push(name);
    else files.set(parentPath, [name]);
  }
  const folders = [...tapes].filter((folder) => !isUnfinished(folder)).sort();
  return folders.map((folder) => [folder, (files.get(folder) ?? []).sort(compareFiles)]);
}

/**
 * Returns what each recording below a folder says of its model; `tapes` counts the tapes. Throws TapeError, and the system's
 * error of a folder that cannot be read.
 */
export function readRecordedCalls(root: string): { tapes: number; calls: RecordedCall[] } {
  const reader = new HeadReader();
  const recordings = listRecordings(root);
  const calls = recordings.flatMap(([folder, files]) => {
    const path = join(folder, tapeFileName);
    const { test } = asObject(parseTapeJson(readFileSync(path, "utf8"), path));
    const name = textOrNull(test) ?? folder;
    return files.map((file) => describeCall(name, join(folder, file), reader.read(join(folder, file))));
  });
  return { tapes: recordings.length, calls };
}
