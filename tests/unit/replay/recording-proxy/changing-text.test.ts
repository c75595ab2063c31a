import { expect, test, vi } from "vitest";
import { compareWords } from "#lib/platform/text-difference";
import { openaiChat } from "#lib/replay/providers/index";
import { findChangedWords, findSimilar } from "#lib/replay/recording-proxy/changing-text";
import { addReports, emptyReport } from "#lib/replay/recording-proxy/report";

vi.mock("#lib/platform/text-difference", { spy: true });

const between = (before: unknown, after: unknown, pointer = "/messages/0/content") =>
  findChangedWords([{ pointer, before, after }]);

test("the few words that differ are named, each cut to 80 characters", () => {
  expect(between("Today is Friday, 27 November. Be brief.", "Today is Monday, 30 November. Be brief.")).toEqual([
    { before: "Friday, 27", after: "Monday, 30" },
  ]);
  const [part] = between(`Read ${"a".repeat(200)} now.`, `Read ${"b".repeat(81)} now.`) ?? [];
  expect(part).toEqual({ before: `${"a".repeat(79)}…`, after: `${"b".repeat(79)}…` });
});

test.each([
  ["a model", "gpt-5.1", "gpt-5.2", "/model"],
  ["a number", 1, 2, "/temperature"],
  ["a path", "POST /v1/a 1", "POST /v1/a 2", ""],
  ["all of a text", "One two 3 four.", "Five six 7 eight."],
  ["four places", "1 a a a 2 a a a 3 a a a 4 a", "5 a a a 6 a a a 7 a a a 8 a"],
  ["201 characters", `Read ${"a".repeat(201)} now.`, "Read this now."],
  ["a field that is new", undefined, "One two 3."],
])("%s is no text that changes in few words", (_name, before, after, pointer?: string) => {
  expect(between(before, after, pointer)).toBeNull();
});

const exchangeOf = (content: string, isPlayed = false) => ({
  provider: openaiChat,
  request: {
    method: "POST",
    path: "/v1/chat/completions",
    query: "",
    body: { json: { messages: [{ role: "user", content }] } },
  },
  file: `${content.slice(0, 3)}.cassette.json`,
  key: content,
  isPlayed,
  isError: false,
});
const options = { volatile: [], isExact: false };
const similarTo = (content: string, exchanges: ReturnType<typeof exchangeOf>[], change = {}) =>
  findSimilar(exchanges, { provider: openaiChat, asked: exchangeOf(content).request }, { ...options, ...change });

test("a request is similar to the nearest recording that no request has asked for", () => {
  const others = [exchangeOf("001 is a day in Rome, by train."), exchangeOf("002 is a day in Paris.")];
  const found = { file: "002.cassette.json", parts: [{ before: "002", after: "003" }] };
  expect(similarTo("003 is a day in Paris.", others)).toEqual(found);
  expect(similarTo("003 is a day in Paris.", [exchangeOf("002 is a day in Paris.", true)])).toBeNull();
  expect(similarTo("003 is a day in Paris.", others, { isExact: true })).toBeNull();
});

test("a request is compared with 20 recordings at most, and with none of more than 256 kB", () => {
  const far = Array.from({ length: 20 }, (_, index) => exchangeOf(`1${index} Something else.`));
  const near = exchangeOf("002 is a day in Paris.");
  expect(similarTo("003 is a day in Paris.", [...far.slice(1), near])).not.toBeNull();
  expect(similarTo("003 is a day in Paris.", [...far, near])).toBeNull();
  const rest = " word".repeat(60_000);
  vi.mocked(compareWords).mockClear();
  expect(similarTo(`003${rest}`, [exchangeOf(`002${rest}`)])).toBeNull();
  expect(similarTo("003 is a day in Paris.", [exchangeOf(`002 is${rest}`)])).toBeNull();
  expect(similarTo(`003 is${rest}`, [near])).toBeNull();
  expect(compareWords).not.toHaveBeenCalled();
});

test("a recording is named once, although a test ran twice", () => {
  const again = (file: string) => ({
    ...emptyReport("one", "one"),
    again: [{ file, parts: [{ before: "1", after: "2" }] }],
  });
  const sum = addReports(
    addReports(again("001.cassette.json"), again("001.cassette.json")),
    again("002.cassette.json"),
  );
  expect(sum.again.map(({ file }) => file)).toEqual(["001.cassette.json", "002.cassette.json"]);
});
