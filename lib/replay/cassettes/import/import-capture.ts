import { basename } from "node:path";
import type { Clock } from "#lib/platform/clock";
import { serviceName, version } from "#lib/platform/version";
import { framingOf, readEvents } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import { readRecordedAnswer } from "../read-answer";
import { redact } from "../recorder/index";
import { answerRequest } from "../request";
import { cassetteIdSchema } from "../schemas";
import { sealCassette } from "../seal-cassette";
import { checkDestination, type Destination, type WrittenCassette, writeCassette } from "../write-cassette";
import {
  type Capture,
  type CaptureFormat,
  detectFormat,
  findExcess,
  ImportError,
  type ImportedStream,
  type ReaderOptions,
  type ReadOptions,
} from "./capture";
import { generateTimes } from "./generate-times";
import { readAimock } from "./read-aimock";
import { readJson, readJsonLines, readSse } from "./read-body";
import { readCaptureFile } from "./read-capture-file";
import { readHar } from "./read-har";

export type ImportInput = ReadOptions & {
  file: string;
  /** `<folder>/<slug>`. */
  id: string;
  title: string;
  subtitle: string;
  /** Default: detected from the file. */
  format?: CaptureFormat;
  /** Body of the request, if the capture does not contain it or contains a wrong one. */
  body?: Record<string, unknown>;
  /** Values that are redacted wherever they occur, in addition to detected secrets. */
  secrets: readonly (string | undefined)[];
  destination: Destination;
};

/** What was imported, for the command line. */
export type Imported = WrittenCassette & {
  timing: Cassette["provenance"]["timing"];
  /** Number of events whose data is neither a JSON object nor the end marker: the protocol has none, and clients can fail. */
  notJsonCount: number;
};

function countNotJson({ provider, headers, chunks }: ImportedStream): number {
  const events = readEvents(chunks, framingOf(headers["content-type"]));
  return events.filter(({ data, json }) => json === null && data !== provider.stream.endMarker).length;
}

function endOf({ provider, status, headers, chunks }: ImportedStream): Cassette["end"] {
  const { error, isEnded } = readRecordedAnswer(provider, { headers, chunks });
  if (status >= 400 || error) return "error";
  return isEnded ? "complete" : "truncated";
}

/** Returns where a request with this answer is sent to. Gemini's path contains the model, which the answer names. */
function placeOf({ provider, headers, chunks }: ImportedStream, body: Record<string, unknown>) {
  const model = readRecordedAnswer(provider, { headers, chunks }).answer?.model ?? undefined;
  const isStream = framingOf(headers["content-type"]) !== "json";
  return provider.upstream.pathOf(body, { model, isStream });
}

function seal(clock: Clock, input: ImportInput, stream: ImportedStream): Cassette {
  const { provider, status, headers, chunks, timing, boundary } = stream;
  const body = input.body ?? stream.body;
  const clean = redact({ body, headers, chunks }, input.secrets);
  return sealCassette({
    id: input.id,
    title: input.title,
    subtitle: input.subtitle,
    provider,
    provenance: {
      kind: "imported",
      recorded_at: clock.now().toISOString(),
      recorder: `${serviceName}/${version}`,
      timing,
      // Other tools measure with a wall clock, which may jump; `source` names the tool.
      clock: "none",
      boundary,
      source: { file: basename(input.file).slice(0, 500), ...stream.source },
    },
    request: answerRequest(provider, clean.body, clean.redactions, stream.place ?? placeOf(stream, body)),
    response: { status, headers: clean.headers },
    chunks: clean.chunks,
    end: endOf(stream),
  });
}

/** Converts another tool's capture to a cassette and writes it. Throws ImportError, WriteError and CassetteError. */
export async function importCapture({ clock }: { clock: Clock }, input: ImportInput): Promise<Imported> {
  const id = cassetteIdSchema.safeParse(input.id);
  if (!id.success) throw new ImportError(input.id, `the id ${id.error.issues[0]?.message}`);
  const stream = readCapture(await readCaptureFile(input.file), input);
  const excess = findExcess(stream.chunks);
  if (excess !== undefined) throw new ImportError(input.file, excess);
  await checkDestination(input.id, input.destination);
  const written = await writeCassette(seal(clock, input, stream), input.destination);
  return { ...written, timing: stream.timing, notJsonCount: countNotJson(stream) };
}

const readers = {
  sse: readSse,
  jsonl: readJsonLines,
  json: readJson,
  har: readHar,
  aimock: readAimock,
} satisfies Record<CaptureFormat, (capture: Capture, options: ReaderOptions) => ImportedStream>;

/** Converts a capture of any format. Throws ImportError. */
export function readCapture(capture: Capture, options: ReadOptions & { format?: CaptureFormat }): ImportedStream {
  return readers[options.format ?? detectFormat(capture)](capture, { ...options, generate: generateTimes });
}
