import { describe, expect, test } from "vitest";
import { CassetteError } from "#lib/replay/cassettes/index";
import {
  cassettesOfSequences,
  maxSequencesByteSize,
  parseSequence,
  parseSequences,
} from "#lib/replay/cassettes/sequences";

const parse = (value: unknown) => parseSequences(Buffer.from(JSON.stringify(value)));
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

test.each([
  ["", "item 1, which is empty, must be rate_limited, "],
  ["429, ", "item 2, which is empty, must be"],
  [
    "overloaded,200",
    'item 2, "200" must be rate_limited, server_error, overloaded, a status from 400 to 599, or <folder>/',
  ],
  ["overlaoded,429", 'item 1, "overlaoded" must be'],
])("a sequence of a header is refused as a whole if an item is unknown: %j", (text, message) => {
  expect(() => parseSequence(text, "x-replay-sequence")).toThrow(`x-replay-sequence: ${message}`);
});

describe("a sequence file", () => {
  test("has items by the name of their sequence", () => {
    const items = ["overloaded", "rate_limited", "server_error", "400", "599", "legal/nda-review"];
    const sequences = parse({ all: items, "only-one": ["503"], constructor: ["429"] });
    expect([...sequences]).toEqual([
      ["all", items],
      ["only-one", ["503"]],
      ["constructor", ["429"]],
    ]);
    expect([...cassettesOfSequences(sequences)]).toEqual(["legal/nda-review"]);
    expect(parse({}).size).toBe(0);
  });

  test("can have 1,000 sequences, 1,000 items of each, and 1 MiB", () => {
    const named = (count: number) => Object.fromEntries(many(count).map((index) => [`s-${index}`, ["429"]]));
    expect(parse(named(1_000)).size).toBe(1_000);
    expect(() => parse(named(1_001))).toThrow("has more than 1000 sequences");
    expect(parse({ long: many(1_000).map(() => "429") }).get("long")?.length).toBe(1_000);
    expect(() => parse({ long: many(1_001).map(() => "429") })).toThrow(/long: .*1000/);
    const padded = (byteSize: number) => parseSequences(Buffer.from("{}".padEnd(byteSize)));
    expect(padded(maxSequencesByteSize).size).toBe(0);
    expect(() => padded(maxSequencesByteSize + 1)).toThrow("has more than 1 MiB");
  });

  test.each([
    ["an item of another kind", { bad: ["429", "nonsense"] }, /bad\.1: must be rate_limited, .* 400 to 599/],
    ["a status that is no error", { bad: ["200"] }, /bad\.0: must be/],
    ["an item that is no text", { bad: [429] }, /bad\.0: .*string/],
    ["no items", { bad: [] }, /bad: /],
    ["no list", { bad: "429" }, /bad: .*array/],
    ["a name in upper case", { Bad: ["429"] }, /Bad: .*lower-case/],
    ["a list at its top", [["429"]], /the file: /],
    ["null at its top", null, /the file: /],
  ])("is broken with %s", (_what, value, message) => {
    expect(() => parse(value)).toThrow(CassetteError);
    expect(() => parse(value)).toThrow(message);
  });

  test("is broken if it is not JSON", () => {
    expect(() => parseSequences(Buffer.from('{"cut": ["429"'))).toThrow(/not valid JSON/);
    expect(() => parseSequences(Buffer.alloc(0))).toThrow(CassetteError);
  });
});
