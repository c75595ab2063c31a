import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { hourMs, minuteMs } from "#lib/platform/time";
import { tapeFolder } from "#lib/replay/recording-proxy/index";
import { protocols } from "#tests/support/conversation-protocols";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const test = "slots.test.ts > asks for slots";
const tapes = setUpProxy();
const { chat } = protocols;
const recordedAt = new Date("2026-11-28T10:20:30Z");

afterEach(() => vi.useRealTimers());

const setClock = (at: Date | number) => vi.useFakeTimers({ toFake: ["Date"], now: at });
const ask = (text: string) => tapes.send(chat, test, chat.requestOf(text));
const answerOf = async (text: string) => /Answer (\w+)/.exec((await ask(text)).text)?.[1];

/** Records a prompt for each text, whose answers are numbered. */
async function record(...texts: string[]): Promise<void> {
  setClock(recordedAt);
  await tapes.serve(
    ...texts.map((_, index) => streamAnswer(chat, chat.answerOf({ text: `Answer ${index}`, calls: [] }, "r"))),
  );
  await tapes.start("auto");
  for (const text of texts) await ask(text);
}

const slots = [3, 0, 4, 1, 2];
const forms: [string, (at: Date) => string][] = [
  ["ISO 8601", (at) => at.toISOString()],
  ["to the minute", (at) => at.toISOString().slice(0, 16).replace("T", " ")],
  ["milliseconds", (at) => String(at.getTime())],
  ["RFC 2822", (at) => at.toUTCString()],
];

it.each(forms)("of recordings that differ in a time (%s), each request gets that of its own", async (_name, format) => {
  const promptOf = (hours: number) => `Is ${format(new Date(Date.now() + hours * hourMs))} free?`;
  setClock(recordedAt);
  await record(...[0, 1, 2, 3, 4].map(promptOf));
  setClock(recordedAt.getTime() + 50 * hourMs + 17 * minuteMs);
  await tapes.start("replay");
  const answers: (string | undefined)[] = [];
  for (const slot of slots) answers.push(await answerOf(promptOf(slot)));
  expect(answers).toEqual(slots.map(String));
});

it.each([
  ["2026-12-01T10:00:00Z", "2027-03-15T18:30:00Z"],
  ["1712345678901", "1798765432109"],
])("another constant is a miss that says so: %s, %s", async (was, is) => {
  await record(`Is ${was} a holiday?`);
  await tapes.start("replay");
  const { status, text } = await ask(`Is ${is} a holiday?`);
  expect(status).toBe(424);
  expect(text).toContain("A time in it changed by more than the clock did since it was recorded");
  expect(text).toContain(`was \\"Is ${was} a holiday?\\" and is now \\"Is ${is} a holiday?`);
  expect(await tapes.proxy.end(test)).toMatchObject({
    played: 0,
    misses: [{ nearest: { file: "001.cassette.json" } }],
  });
});

it("when a request was sent is stored if it names a time, and else only the day", async () => {
  await record("Is 2026-12-01T10:00:00Z free?", "Is it free?");
  const sourceOf = async (file: string) => {
    const path = join(tapes.folder, "tapes", ...tapeFolder(test), file);
    return JSON.parse(await readFile(path, "utf8")).provenance;
  };
  const timed = await sourceOf("001.cassette.json");
  expect(Date.parse(timed.source.sent_at)).toBe(recordedAt.getTime());
  expect(timed.recorded_at).toBe("2026-11-28T00:00:00Z");
  expect((await sourceOf("002.cassette.json")).source).not.toHaveProperty("sent_at");
});
