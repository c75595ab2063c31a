import { type AimockFixture, aimockEvents, aimockFileSchema, aimockFixtureSchema } from "./aimock-events";
import { type Capture, ImportError, type ImportedStream, parseJson, type ReadOptions, streamHeaders } from "./capture";
import { inventTimes, placeAt, spaceEvenly } from "./event-pieces";

function chooseFixture(capture: Capture, wanted: number | undefined): { fixture: AimockFixture; number: number } {
  const { file } = capture;
  const parsed = aimockFileSchema.safeParse(parseJson(capture));
  if (!parsed.success) throw new ImportError(file, "is no aimock fixture file: it has no list of fixtures");
  const { fixtures } = parsed.data;
  if (wanted === undefined && fixtures.length > 1) {
    throw new ImportError(file, `has ${fixtures.length} fixtures; choose one by its number with --entry`);
  }
  const number = wanted ?? 1;
  const fixture = aimockFixtureSchema.safeParse(fixtures[number - 1]);
  if (number > fixtures.length) throw new ImportError(file, `has no fixture ${number}, there are ${fixtures.length}`);
  if (fixture.success) return { fixture: fixture.data, number };
  const [issue] = fixture.error.issues;
  throw new ImportError(file, `fixture ${number}: ${issue?.path.join(".")}: ${issue?.message}`);
}

function requestBody({ match }: AimockFixture): Record<string, unknown> {
  return {
    ...(match.model === undefined ? {} : { model: match.model }),
    stream: true,
    ...(match.userMessage === undefined ? {} : { messages: [{ role: "user", content: match.userMessage }] }),
  };
}

const meaning = "aimock keeps a stream's meaning; the events were made from it by the importer.";

function errorStream({ response: { error, status } }: AimockFixture, source: ImportedStream["source"]): ImportedStream {
  const type = error?.type ?? "api_error";
  const bytes = Buffer.from(JSON.stringify({ type: "error", error: { type, message: error?.message } }), "utf8");
  return {
    chunks: inventTimes([{ bytes, type: "error" }]),
    status: status ?? 500,
    headers: { "content-type": "application/json" },
    body: {},
    timing: "synthetic",
    boundary: "http-read",
    source,
  };
}

/** Times as aimock measured them, one per event of the provider's; or made up. */
function timeEvents(
  fixture: AimockFixture,
  chunkMs: number | undefined,
): Pick<ImportedStream, "chunks" | "timing"> & { times: string } {
  const timings = fixture.recordedTimings;
  const { pieces, fits } = aimockEvents(fixture, timings && timings.interChunkDelaysMs.length + 1);
  if (chunkMs !== undefined)
    return { chunks: spaceEvenly(pieces, chunkMs), timing: "synthetic", times: "Even, as asked for." };
  if (!timings || !fits) {
    const why = timings ? "has more or fewer times than its text can have events" : "holds no times";
    return { chunks: inventTimes(pieces), timing: "synthetic", times: `The fixture ${why}; these are made up.` };
  }
  let atMs = 0;
  const timesMs = [timings.ttftMs, ...timings.interChunkDelaysMs].map((delayMs) => {
    atMs += delayMs;
    return atMs;
  });
  const times =
    "One per event from recordedTimings, by aimock's clock, in whole milliseconds; which text came when is not kept.";
  return { chunks: placeAt(pieces, timesMs), timing: "measured", times };
}

/** One fixture of an aimock file, as its recorder writes them. Throws ImportError. */
export function readAimock(capture: Capture, { entry, chunkMs }: ReadOptions): ImportedStream {
  const { fixture, number } = chooseFixture(capture, entry);
  const { response } = fixture;
  const source = { format: "aimock", tool: "aimock", entry: number, rebuilt: true, note: meaning };
  if (response.error) return { ...errorStream(fixture, source), body: requestBody(fixture) };
  const holdsText = [response.content, response.reasoning].some((text) => text !== undefined);
  if (!holdsText && !response.toolCalls && !response.blocks && !response.redactedThinking) {
    throw new ImportError(capture.file, `fixture ${number} holds no text or tool calls (another kind of endpoint?)`);
  }
  const { chunks, timing, times } = timeEvents(fixture, chunkMs);
  return {
    chunks,
    status: 200,
    headers: streamHeaders,
    body: requestBody(fixture),
    timing,
    boundary: "sse-event",
    source: { ...source, times },
  };
}
