import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { decodeUrlPart } from "#lib/platform/parse-url";
import { type Cassette, cassetteEnding, tapeFileName } from "#lib/replay/cassettes/index";
import { asObject, findProvider, textOrNull } from "#lib/replay/providers/index";
import { TapeError } from "./tape-error";
import { compareFiles, listTapeFolders, parseTapeJson } from "./tape-file";

/** What a recording says of the model that was called, without its answer. */
export type RecordedCall = {
  test: string;
  /** Path of the recording. */
  file: string;
  host: string;
  /** As the request names it; null if it names none. */
  model: string | null;
  /** The response's headers of RFC 9745 and RFC 8594, as recorded. */
  deprecation: string | null;
  sunset: string | null;
};

/** A model in the path of a request, as of Bedrock and Vertex. */
const modelInPath = /\/models?\/([^/]+?)(?::[A-Za-z]+)?(?:\/|$)/;
/** Where the answer begins in a recording as it is written: line ends inside of strings are escaped. */
const answerStart = ',\n  "chunks": [';
const firstByteSize = 16 * 1024;

type Head = Pick<Cassette, "provider" | "request" | "response">;

/** Reads a recording up to its answer, or all of it if it is formatted differently. Throws TapeError. */
function readHead(path: string): Head {
  const file = openSync(path, "r");
  try {
    let bytes = Buffer.alloc(firstByteSize);
    for (let length = 0; ; bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)])) {
      const count = readSync(file, bytes, length, bytes.length - length, null);
      const end = bytes.indexOf(answerStart, Math.max(0, length - answerStart.length));
      length += count;
      if (end >= 0) return parseTapeJson(`${bytes.toString("utf8", 0, end)}}`, path) as Head;
      if (length < bytes.length) return parseTapeJson(bytes.toString("utf8", 0, length), path) as Head;
    }
  } finally {
    closeSync(file);
  }
}

function describeCall(test: string, path: string): RecordedCall {
  const { provider, request, response } = readHead(path);
  if (!request?.path || !response?.headers) throw new TapeError(`${path} is not a recording`);
  const body = request.body && "json" in request.body ? asObject(request.body.json) : null;
  const question = findProvider(provider)?.readQuestion({ ...request, body: body ?? {} });
  const [, named] = modelInPath.exec(request.path) ?? [];
  const { deprecation = null, sunset = null } = response.headers;
  return {
    test,
    file: path,
    host: request.host ?? "",
    model: question?.model ?? (named === undefined ? null : (decodeUrlPart(named) ?? named)),
    deprecation,
    sunset,
  };
}

/** Returns what each recording of a tape says of its model. Throws TapeError. */
export function readTapeCalls(folder: string): RecordedCall[] {
  const path = join(folder, tapeFileName);
  // One after another and with nothing else to do, reading is faster without promises.
  const { test } = asObject(parseTapeJson(readFileSync(path, "utf8"), path));
  const files = readdirSync(folder).filter((name) => name.endsWith(cassetteEnding));
  return files.sort(compareFiles).map((file) => describeCall(textOrNull(test) ?? folder, join(folder, file)));
}

/** Returns what each recording below a folder says of its model; `tapes` counts the tapes. Throws TapeError. */
export async function readRecordedCalls(root: string): Promise<{ tapes: number; calls: RecordedCall[] }> {
  const folders = await listTapeFolders(root);
  return { tapes: folders.length, calls: folders.flatMap(readTapeCalls) };
}
