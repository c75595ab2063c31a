import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { decodeUrlPart } from "#lib/platform/parse-url";
import { type Cassette, cassetteEnding, objectOf, recordedAtOf, tapeFileName } from "#lib/replay/cassettes/index";
import { asObject, findProvider, type Provider, textOrNull } from "#lib/replay/providers/index";
import { TapeError } from "./tape-error";
import { compareFiles, isUnfinished, parseTapeJson } from "./tape-file";
import type { TapeRequest } from "./tape-request";

/** What a recording says of the model that was called, without its answer. */
export type RecordedCall = {
  test: string;
  file: string;
  host: string;
  /** `POST api.openai.com/v1/responses`; null if the host is not known. */
  operation: string | null;
  /** Null if it is not known. */
  recordedAt: string | null;
  /** As the request names it; null if it names none. */
  model: string | null;
  /** The response's headers of RFC 9745 and RFC 8594, as recorded. */
  deprecation: string | null;
  sunset: string | null;
};

/** A model in the path of a request, as of Bedrock and Vertex. */
const modelInPath = /\/models?\/([^/]+?)(?::[A-Za-z]+)?(?:\/|$)/;
/** Returns the model that a request names, in its body or path; null if it names none. */
export function modelOf(provider: Provider | undefined, request: TapeRequest): string | null {
  const question = provider?.readQuestion({ ...request, body: objectOf(request.body) });
  const [, named] = modelInPath.exec(request.path) ?? [];
  return question?.model ?? (named === undefined ? null : (decodeUrlPart(named) ?? named));
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

function describeCall(test: string, path: string, { provider, request, response, provenance }: Head): RecordedCall {
  if (!request?.path || !response?.headers) throw new TapeError(`${path} is not a recording`);
  const { deprecation = null, sunset = null } = response.headers;
  const { host = "" } = request;
  return {
    test,
    file: path,
    host,
    operation: host === "" ? null : `${request.method} ${host}${request.path.replace(/\/+$/, "")}`,
    recordedAt: provenance ? textOrNull(recordedAtOf(provenance)) : null,
    model: modelOf(findProvider(provider), request),
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
