import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashBody } from "#lib/replay/cassettes/encoding";
import { answerRequest } from "#lib/replay/cassettes/request";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { anthropic, type TimedChunk } from "#lib/replay/providers/index";
import { dueTimesMs } from "./percentiles";

/** Short names of the two measured streams. */
export const cassetteNames = ["c60", "c600"] as const;
export type CassetteName = (typeof cassetteNames)[number];

/** The facts about a cassette that the load generator needs to check and time its replay. */
export type Expectation = {
  /** End of each chunk in the body, in bytes. */
  endOffsets: number[];
  /** When each chunk is due, in milliseconds after the request was received. */
  dueMs: number[];
  bodySha256: string;
  byteSize: number;
};

export type BenchCassette = {
  name: CassetteName;
  id: string;
  /** The cassette file. */
  file: string;
  /** The same content as an aimock fixture. */
  aimockFixtureFile: string;
  expectation: Expectation;
};

/** Characters of text in one event. aimock splits its fixture's text again by this number. */
const textCharacterCount = 6;
/** Events of a response without text: start of message and block, end of block and message, message delta. */
const framingEventCount = 5;
const firstDeltaMs = 20;
const model = "claude-bench-1";
const messageId = "msg_01Bench";
const usage = { input_tokens: 17, output_tokens: 240 };

/** Text in a request by which aimock finds a cassette's fixture. It matches parts, so no text contains another. */
export function aimockPrompt(name: CassetteName): string {
  return `Play ${name} to me.`;
}

const words =
  "a tape keeps what was said and when it was said so that anyone may hear it again at the same pace without asking the speaker ";

/** Returns a random number generator with a fixed seed, so that every run replays the same bytes at the same times. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns one event in the provider's format: nine of ten have padding spaces before their last brace. */
function eventBytes(type: string, data: Record<string, unknown>, random: () => number): Uint8Array {
  const json = JSON.stringify({ type, ...data });
  const padding = " ".repeat(random() < 0.92 ? Math.floor(random() * 8) : 0);
  return Buffer.from(`event: ${type}\ndata: ${json.slice(0, -1)}${padding}}\n\n`);
}

function textPieces(count: number): string[] {
  const text = words.repeat(Math.ceil((count * textCharacterCount) / words.length));
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * textCharacterCount, (index + 1) * textCharacterCount),
  );
}

function bodyEvents(pieces: string[], random: () => number): Uint8Array[] {
  const message = { id: messageId, type: "message", role: "assistant", content: [], model };
  const stop = { stop_reason: null, stop_sequence: null };
  return [
    eventBytes("message_start", { message: { ...message, ...stop, usage } }, random),
    eventBytes("content_block_start", { index: 0, content_block: { type: "text", text: "" } }, random),
    ...pieces.map((text) =>
      eventBytes("content_block_delta", { index: 0, delta: { type: "text_delta", text } }, random),
    ),
    eventBytes("content_block_stop", { index: 0 }, random),
    eventBytes(
      "message_delta",
      { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: usage.output_tokens } },
      random,
    ),
    eventBytes("message_stop", {}, random),
  ];
}

const shapes: Record<CassetteName, { chunkCount: number; deltaMs: (random: () => number) => number }> = {
  c60: { chunkCount: 60, deltaMs: (random) => 5 + random() * 75 },
  c600: { chunkCount: 600, deltaMs: () => 10 },
};

function makeChunks(name: CassetteName): { chunks: TimedChunk[]; text: string } {
  const { chunkCount, deltaMs } = shapes[name];
  const random = createRandom(chunkCount);
  const pieces = textPieces(chunkCount - framingEventCount);
  const chunks = bodyEvents(pieces, random).map((bytes, index) => ({
    deltaMs: index === 0 ? firstDeltaMs : Math.round(deltaMs(random) * 1000) / 1000,
    bytes,
  }));
  return { chunks, text: pieces.join("") };
}

function cassetteText(name: CassetteName, id: string, chunks: TimedChunk[]): string {
  const cassette = sealCassette({
    id,
    title: `Bench ${name}`,
    subtitle: "Made by tests/bench",
    provenance: {
      kind: "authored",
      recorded_at: "2026-11-21T00:00:00Z",
      recorder: "tapedeck-bench/1",
      timing: "synthetic",
      clock: "none",
      boundary: "sse-event",
      source: {},
    },
    provider: anthropic,
    request: answerRequest(anthropic, {
      model,
      max_tokens: 1024,
      stream: true,
      messages: [{ role: "user", content: aimockPrompt(name) }],
    }),
    response: { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } },
    chunks,
    end: "complete",
  });
  return serializeCassette(cassette);
}

/** Returns a fixture in the format of aimock's recorder, with exact delays instead of measured ones. */
function aimockFixtureText(name: CassetteName, chunks: TimedChunk[], text: string): string {
  const deltasMs = chunks.map(({ deltaMs }) => deltaMs);
  const fixture = {
    match: { userMessage: aimockPrompt(name) },
    response: { content: text, id: messageId, model, usage },
    chunkSize: textCharacterCount,
    recordedTimings: {
      ttftMs: deltasMs[0],
      interChunkDelaysMs: deltasMs.slice(1),
      totalDurationMs: deltasMs.reduce((sum, deltaMs) => sum + deltaMs, 0),
    },
  };
  return `${JSON.stringify({ fixtures: [fixture] }, null, 2)}\n`;
}

function expect(chunks: TimedChunk[]): Expectation {
  let byteSize = 0;
  const endOffsets = chunks.map(({ bytes }) => {
    byteSize += bytes.length;
    return byteSize;
  });
  const dueMs = [...dueTimesMs(chunks.map(({ deltaMs }) => deltaMs))];
  return { endOffsets, dueMs, bodySha256: hashBody(chunks), byteSize };
}

/** Writes the benchmark's cassettes and their aimock fixtures to `folder`, with the same bytes on every machine. */
export async function makeCassettes(folder: string): Promise<Record<CassetteName, BenchCassette>> {
  const cassettesFolder = join(folder, "cassettes", "developer-tools");
  const fixturesFolder = join(folder, "aimock");
  await mkdir(cassettesFolder, { recursive: true });
  await mkdir(fixturesFolder, { recursive: true });
  const made = cassetteNames.map(async (name) => {
    const id = `developer-tools/bench-${name}`;
    const { chunks, text } = makeChunks(name);
    const file = join(cassettesFolder, `bench-${name}.json`);
    const aimockFixtureFile = join(fixturesFolder, `${name}.json`);
    await writeFile(file, cassetteText(name, id, chunks));
    await writeFile(aimockFixtureFile, aimockFixtureText(name, chunks, text));
    return [name, { name, id, file, aimockFixtureFile, expectation: expect(chunks) }] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as Record<CassetteName, BenchCassette>;
}
