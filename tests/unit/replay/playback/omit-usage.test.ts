import fc from "fast-check";
import { expect, it } from "vitest";
import type { Replay } from "#lib/replay/playback/index";
import { omitUsage } from "#lib/replay/playback/omit-usage";
import { anthropic, openaiChat } from "#lib/replay/providers/index";

const event = (json: unknown) => `data: ${JSON.stringify(json)}\n\n`;
const answer = [
  event({ choices: [{ delta: { content: "Hé" } }], usage: null }),
  event({ choices: [{ delta: {}, finish_reason: "stop" }], usage: null }),
].join("");
const usage = event({ choices: [], usage: { total_tokens: 3 } });
const end = "data: [DONE]\n\n";

function replayOf(text: string, cuts: readonly number[]): Replay {
  const bytes = Buffer.from(text);
  const places = [0, ...[...new Set(cuts.map((cut) => cut % bytes.length))].filter(Boolean).sort((a, b) => a - b)];
  const frames = places.map((place, index) => bytes.subarray(place, places[index + 1]));
  const schedule = { frames, dueMs: Float64Array.from(frames.keys()), from: 0, offsetMs: 0, speed: 1, cutAtEnd: false };
  return { status: 200, headers: {}, schedule };
}
const textOf = ({ schedule }: Replay) => Buffer.concat(schedule.frames as Uint8Array[]).toString();

it("a stream loses its event with the usage, wherever its frames are divided, and nothing else", () => {
  const streams = [answer + usage + end, answer + usage, answer + end];
  const cuts = fc.array(fc.nat(1_000), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...streams), cuts, (text, places) => {
      const replay = replayOf(text, places);
      const left = omitUsage(replay, openaiChat);
      expect(textOf(left)).toBe(text.replace(usage, ""));
      expect(left.schedule.frames.length).toBe(left.schedule.dueMs.length);
      expect(left.schedule.frames.every(({ length }) => length > 0)).toBe(true);
      expect(omitUsage(replay, openaiChat).schedule.frames).toBe(left.schedule.frames);
    }),
  );
});

it("a provider that always says its usage keeps it", () => {
  const replay = replayOf(answer + usage + end, []);
  expect(textOf(omitUsage(replay, anthropic))).toBe(answer + usage + end);
});
