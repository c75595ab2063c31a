import { anthropic } from "#lib/replay/providers/index";
import { type AimockFixture, aimockEvents, aimockFileSchema, aimockFixtureSchema } from "./aimock-events";
import { type Capture, contentTypes, ImportError, type ImportedStream, parseJson, type ReadOptions } from "./capture";
import { placeAt, spaceEvenly } from "./event-pieces";
import { generateTimes } from "./generate-times";

function chooseFixture(capture: Capture, entryNumber: number | undefined): { fixture: AimockFixture; number: number } {
  const { file } = capture;
  const parsed = aimockFileSchema.safeParse(parseJson(capture));
  if (!parsed.success) throw new ImportError(file, "is not an aimock fixture file: it has no list of fixtures");
  const { fixtures } = parsed.data;
  if (entryNumber === undefined && fixtures.length > 1) {
    throw new ImportError(file, `has ${fixtures.length} fixtures; choose one with --entry <number>`);
  }
  const number = entryNumber ?? 1;
  const fixture = aimockFixtureSchema.safeParse(fixtures[number - 1]);
  if (number > fixtures.length) throw new ImportError(file, `has no fixture ${number}; it has ${fixtures.length}`);
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

const rebuiltNote = "aimock stores a response's content; the importer generated the events from it.";

function errorStream({ response: { error, status } }: AimockFixture, source: ImportedStream["source"]): ImportedStream {
  const type = error?.type ?? "api_error";
  const bytes = Buffer.from(JSON.stringify({ type: "error", error: { type, message: error?.message } }), "utf8");
  return {
    provider: anthropic,
    chunks: generateTimes([{ bytes, event: undefined }], anthropic),
    status: status ?? 500,
    headers: { "content-type": "application/json" },
    body: {},
    timing: "synthetic",
    boundary: "http-read",
    source,
  };
}

/** Times the events: as aimock measured them, one per event of the provider, or synthetic. */
function timeEvents(
  fixture: AimockFixture,
  chunkMs: number | undefined,
): Pick<ImportedStream, "chunks" | "timing"> & { times: string } {
  const timings = fixture.recordedTimings;
  const { pieces, fits } = aimockEvents(fixture, timings && timings.interChunkDelaysMs.length + 1);
  if (chunkMs !== undefined)
    return { chunks: spaceEvenly(pieces, chunkMs), timing: "synthetic", times: "Even, as requested." };
  if (!timings || !fits) {
    const why = timings ? "has a number of times that does not match its content" : "has no times";
    return {
      chunks: generateTimes(pieces, anthropic),
      timing: "synthetic",
      times: `The fixture ${why}; these are synthetic.`,
    };
  }
  let atMs = 0;
  const timesMs = [timings.ttftMs, ...timings.interChunkDelaysMs].map((delayMs) => {
    atMs += delayMs;
    return atMs;
  });
  const times =
    "One per event from recordedTimings, by aimock's clock, in whole milliseconds; aimock does not store which text arrived when.";
  return { chunks: placeAt(pieces, timesMs), timing: "measured", times };
}

/** Converts one fixture of an aimock file to an answer of Anthropic Messages, whose content blocks it resembles. Throws ImportError. */
export function readAimock(capture: Capture, { entry, chunkMs }: ReadOptions): ImportedStream {
  const { fixture, number } = chooseFixture(capture, entry);
  const { response } = fixture;
  const source = { format: "aimock", tool: "aimock", entry: number, rebuilt: true, note: rebuiltNote };
  if (response.error) return { ...errorStream(fixture, source), body: requestBody(fixture) };
  const hasText = [response.content, response.reasoning].some((text) => text !== undefined);
  if (!hasText && !response.toolCalls && !response.blocks && !response.redactedThinking) {
    throw new ImportError(capture.file, `fixture ${number} has no text or tool calls (is it for another endpoint?)`);
  }
  const { chunks, timing, times } = timeEvents(fixture, chunkMs);
  return {
    provider: anthropic,
    chunks,
    status: 200,
    headers: { "content-type": contentTypes.sse },
    body: requestBody(fixture),
    timing,
    boundary: "sse-event",
    source: { ...source, times },
  };
}
