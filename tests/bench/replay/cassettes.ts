import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashBody } from "#lib/replay/cassettes/encoding";
import { parseCassette } from "#lib/replay/cassettes/index";
import { sampleFile } from "#tests/support/sample-cassette";
import { randomFrom } from "#tests/support/seeded-random";

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

/** `aimockFixtureFile` has the same content as the cassette's file, for aimock. */
export type BenchCassette = {
  name: CassetteName;
  id: string;
  file: string;
  aimockFixtureFile: string;
  expectation: Expectation;
};

/** Characters of text in one event. aimock splits its fixture's text again by this number. */
const textCharacterCount = 6;
/** Events of a response without text: start of message and block, end of block and message, message delta. */
const framingEventCount = 5;
const firstDeltaMs = 20;
const words =
  "a tape keeps what was said and when it was said so that anyone may hear it again at the same pace without asking the speaker ";

/** Text in a request by which aimock finds a cassette's fixture. It matches parts, so no text contains another. */
export function aimockPrompt(name: CassetteName): string {
  return `Play ${name} to me.`;
}

/** Returns the delays of 60 chunks, from 5 to 80 ms and the same in every run, or of 600 chunks of 10 ms. */
function deltasOf(name: CassetteName): number[] {
  if (name === "c600") return Array.from({ length: 600 }, (_, index) => (index === 0 ? firstDeltaMs : 10));
  const random = randomFrom(60);
  return Array.from({ length: 60 }, (_, index) =>
    index === 0 ? firstDeltaMs : Math.round(5_000 + 75_000 * random()) / 1_000,
  );
}

function sums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** Writes the benchmark's cassettes and their aimock fixtures to `folder`, with the same bytes on every machine. */
export async function makeCassettes(folder: string): Promise<Record<CassetteName, BenchCassette>> {
  const [cassettes, fixtures] = [join(folder, "cassettes", "developer-tools"), join(folder, "aimock")];
  for (const each of [cassettes, fixtures]) await mkdir(each, { recursive: true });
  const made = cassetteNames.map(async (name) => {
    const id = `developer-tools/bench-${name}`;
    const deltasMs = deltasOf(name);
    const text = words.repeat(30).slice(0, (deltasMs.length - framingEventCount) * textCharacterCount);
    const pieces = text.match(new RegExp(`.{${textCharacterCount}}`, "g")) ?? [];
    const content = sampleFile({ id, prompt: aimockPrompt(name), pieces, delayMs: (index) => deltasMs[index]! });
    const [file, aimockFixtureFile] = [join(cassettes, `bench-${name}.json`), join(fixtures, `${name}.json`)];
    await writeFile(file, content);
    const dueMs = sums(deltasMs);
    // The format of aimock's recorder, with exact delays instead of measured ones.
    const recordedTimings = {
      ttftMs: deltasMs[0],
      interChunkDelaysMs: deltasMs.slice(1),
      totalDurationMs: dueMs.at(-1),
    };
    const match = { userMessage: aimockPrompt(name) };
    const fixture = { match, response: { content: text }, chunkSize: textCharacterCount, recordedTimings };
    await writeFile(aimockFixtureFile, JSON.stringify({ fixtures: [fixture] }));
    const { chunks } = parseCassette(Buffer.from(content));
    const endOffsets = sums(chunks.map(({ bytes }) => bytes.length));
    const expectation = { endOffsets, dueMs, bodySha256: hashBody(chunks), byteSize: endOffsets.at(-1)! };
    return [name, { name, id, file, aimockFixtureFile, expectation }] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as Record<CassetteName, BenchCassette>;
}
