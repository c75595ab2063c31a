import { describe, expect, test } from "vitest";
import type { Replay } from "#lib/replay/playback/open-replay";
import { playToStream } from "#lib/replay/playback/sinks";

const frames = Array.from({ length: 40 }, (_, index) => Buffer.from(`data: ${index}\n\n`));

async function read(schedule: Partial<Replay["schedule"]>): Promise<string[]> {
  const dueMs = Float64Array.from(frames, (_, index) => index);
  const replay = { schedule: { frames, dueMs, from: 0, offsetMs: 0, speed: 1, cutAtEnd: false, ...schedule } };
  const chunks: string[] = [];
  try {
    for await (const chunk of playToStream(replay as unknown as Replay)) chunks.push(Buffer.from(chunk).toString());
  } catch (error) {
    chunks.push((error as Error).name);
  }
  return chunks;
}

describe("a Web stream of a replay", () => {
  const all = frames.join("");

  test("has frames that are due together in one chunk", async () => {
    expect(await read({ speed: Number.POSITIVE_INFINITY })).toEqual([all]);
  });

  test("has all frames of a recording that was cut, and then fails", async () => {
    expect(await read({ speed: Number.POSITIVE_INFINITY, cutAtEnd: true })).toEqual([all, "AbortError"]);
  });

  test("goes on after its reader's buffer was full", async () => {
    const large = Array.from({ length: 40 }, (_, index) => Buffer.alloc(1_000, index));
    const chunks = await read({ frames: large, speed: Number.POSITIVE_INFINITY });
    expect([chunks.length > 1, chunks.join("") === large.join("")]).toEqual([true, true]);
  });
});
