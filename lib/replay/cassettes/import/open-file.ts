import { decodeText, joinBytes } from "#lib/platform/bytes";
import {
  framingOf,
  type Provider,
  type RecordedEvent,
  readEvents,
  requireProvider,
  type TimedChunk,
} from "#lib/replay/providers/index";
import { CassetteError, chunkHead, decodeCassette } from "../decode-cassette";
import { endsOf } from "../event-boundaries";
import { type Cassette, maxChunkCount, maxDurationMs } from "../format";
import { type Capture, detectFormat, ImportError, type ImportedStream, type ReaderOptions } from "./capture";
import { spaceEvenly } from "./event-pieces";
import { readJson, readJsonLines, readSse } from "./read-body";
import { type HarAnswer, listHarAnswers, readHar } from "./read-har";

/** Largest file that is opened, in bytes. */
export const maxOpenByteSize = 32 * 1024 * 1024;
/** Most events of a file that is opened. */
const maxOpenEventCount = maxChunkCount;
/** Delay of each event of a file without times, in milliseconds. */
export const evenPaceMs = 30;

/** A recording from a file, which is played without being stored. */
export type OpenedFile = {
  provider: Provider;
  status: number;
  end: Cassette["end"];
  chunks: TimedChunk[];
  events: RecordedEvent[];
  durationMs: number;
  timing: "measured" | "synthetic";
  /** What the user has to know about the times and the content, in whole sentences. */
  notes: string[];
};

/** A recording, or the answers of a HAR file of which one has to be chosen. */
export type FileContent = { kind: "recording"; recording: OpenedFile } | { kind: "choice"; answers: HarAnswer[] };

const evenPaceNote = `This file has no times. Its events are played at an even pace, one every ${evenPaceMs} ms.`;

type Kind = "cassette" | "har" | "sse" | "jsonl" | "json";

/** Bytes examined at the start of a file to recognize a cassette. */
const headByteSize = 4096;

/** Returns what a file is, by its name and its beginning. Throws ImportError. */
function kindOf(capture: Capture): Kind {
  const hint = "Open an event stream (.sse), a HAR file or a cassette";
  const head = decodeText(capture.bytes.subarray(0, headByteSize));
  if (/^\s*\{[\s\S]*"schema"\s*:\s*"cassette\//.test(head)) return "cassette";
  let format: ReturnType<typeof detectFormat> | undefined;
  try {
    format = detectFormat(capture);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
  }
  if (format === "aimock")
    throw new ImportError(capture.file, "is an aimock fixture. Convert it with the command `cassettes import`");
  if (format === undefined) throw new ImportError(capture.file, `has an unknown format. ${hint}`);
  return format;
}

function recordingOf(stream: ImportedStream, notes: string[]): OpenedFile {
  const { provider, status, headers, chunks, timing } = stream;
  const events = readEvents(chunks, framingOf(headers["content-type"]));
  const { error, isEnded } = provider.fold(events);
  const end = status >= 400 || error ? "error" : isEnded ? "complete" : "truncated";
  const durationMs = chunks.reduce((sum, { deltaMs }) => sum + deltaMs, 0);
  return { provider, status, end, chunks, events, durationMs, timing, notes };
}

/** Times events evenly, where the importers of the command line would generate plausible times. */
const options: ReaderOptions = { generate: (pieces) => spaceEvenly(pieces, evenPaceMs) };

function openHar(capture: Capture, entry: number | undefined): FileContent {
  const answers = listHarAnswers(capture);
  if (entry === undefined && answers.length > 1) return { kind: "choice", answers };
  const stream = readHar(capture, entry === undefined ? options : { ...options, entry });
  return { kind: "recording", recording: recordingOf(stream, [String(stream.source.times)]) };
}

async function sha256(parts: readonly Uint8Array[]): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", joinBytes(parts));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Checks the hashes of a cassette's response. Browsers compute them only on pages from HTTPS or the machine itself. */
async function checkHashes({ integrity }: Omit<Cassette, "chunks">, chunks: readonly TimedChunk[]): Promise<string[]> {
  if (globalThis.crypto?.subtle === undefined)
    return ["Its checksums were not checked, because this page was not loaded over HTTPS."];
  const body = await sha256(chunks.map(({ bytes }) => bytes));
  const timed = await sha256(chunks.flatMap((chunk) => [chunkHead(chunk), chunk.bytes]));
  if (body === integrity.body_sha256 && timed === integrity.chunks_sha256) return [];
  throw new CassetteError("was altered: its response does not match its checksums");
}

async function openCassette({ file, bytes }: Capture): Promise<FileContent> {
  try {
    const { cassette, chunks, durationMs } = decodeCassette(bytes);
    const { response, provenance, end } = cassette;
    const framing = framingOf(response.headers["content-type"]);
    const eventCount = endsOf(joinBytes(chunks.map((chunk) => chunk.bytes)), framing).length;
    if (eventCount > maxOpenEventCount)
      throw new CassetteError(`has ${eventCount} events; the limit is ${maxOpenEventCount}`);
    const notes = await checkHashes(cassette, chunks);
    const provider = requireProvider(cassette.provider);
    const events = readEvents(chunks, framing);
    const recording = { provider, status: response.status, end, chunks, events, durationMs, timing: provenance.timing };
    return { kind: "recording", recording: { ...recording, notes } };
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    throw new ImportError(file, error.message, { cause: error });
  }
}

const bodyReaders = { sse: readSse, jsonl: readJsonLines, json: readJson };

async function read(capture: Capture, entry: number | undefined): Promise<FileContent> {
  const kind = kindOf(capture);
  if (kind === "cassette") return openCassette(capture);
  if (kind === "har") return openHar(capture, entry);
  return { kind: "recording", recording: recordingOf(bodyReaders[kind](capture, options), [evenPaceNote]) };
}

/**
 * Reads a file to play it: an event stream, the body of an answer, a HAR file or a cassette. `entry` is the number of the
 * chosen entry of a HAR file. Sends nothing. Throws ImportError, whose message names the file and what to do.
 */
export async function openFile(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { entry }: { entry?: number | undefined } = {},
): Promise<FileContent> {
  if (bytes.byteLength === 0) throw new ImportError(name, "is empty");
  if (bytes.byteLength > maxOpenByteSize)
    throw new ImportError(name, `has ${bytes.byteLength} bytes; the limit is ${maxOpenByteSize} (32 MiB)`);
  const content = await read({ file: name, bytes }, entry);
  if (content.kind === "recording" && content.recording.durationMs > maxDurationMs)
    throw new ImportError(name, `lasts ${Math.round(content.recording.durationMs / 1000)} s; the limit is one hour`);
  return content;
}
