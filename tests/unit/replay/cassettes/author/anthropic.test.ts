import fc from "fast-check";
import { expect, test } from "vitest";
import { authorCassette } from "#lib/replay/cassettes/author/index";
import { decodeChunk } from "#lib/replay/cassettes/decode-cassette";
import type { Cassette } from "#lib/replay/cassettes/format";
import { readEvents } from "#lib/replay/providers/index";
import { codePoint } from "#tests/support/code-point";
import { readMessage } from "#tests/support/read-message";

type Json = Record<string, unknown>;

const id = "legal/example";
const noScripts = () => {
  throw new Error("No other scripts.");
};
const documentText = "Clause 1. The term is two years. 🙂 Clause 2. Either party may end it on notice.";

function scriptOf(changes: Json = {}): Json {
  return {
    title: "An example",
    subtitle: "For the tests (authored)",
    seed: 1,
    authored_at: "2026-11-01T00:00:00Z",
    pace: { first_token_ms: 500 },
    request: {
      max_tokens: 50_000,
      stream: true,
      thinking: { type: "enabled", budget_tokens: 1024 },
      tools: [{ name: "look_up" }, { type: "web_search_20250305", name: "web_search" }],
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              title: "Contract",
              source: { type: "text", media_type: "text/plain", data: documentText },
            },
            { type: "text", text: "Well?" },
          ],
        },
      ],
    },
    blocks: [{ type: "text", text: "Hello, this is a plain answer." }],
    ending: { stop_reason: "end_turn" },
    ...changes,
  };
}

// JSON is valid YAML, so a script can be written as JSON.
function build(changes: Json = {}): Cassette {
  return authorCassette(JSON.stringify(scriptOf(changes)), id, noScripts);
}

function fold(cassette: Cassette) {
  return readMessage(cassette.chunks.map(decodeChunk));
}

function contentOf(blocks: Json[], ending: Json = { stop_reason: "end_turn" }): Json[] {
  return fold(build({ blocks, ending })).message?.content as Json[];
}

test("document citations, with positions in characters", () => {
  const cited_text = "Either party may end it on notice.";
  const citations = [
    { type: "char_location", document_index: 0, cited_text },
    { type: "page_location", document_index: 0, start_page_number: 1, end_page_number: 2, cited_text },
  ];
  const [block] = contentOf([{ type: "text", text: "On notice.", citations }]);
  const [byCharacter, byPage] = (block?.citations ?? []) as Json[];
  const { start_char_index: start, end_char_index: end } = byCharacter as Record<string, number>;
  expect([...documentText].slice(start, end).join("")).toBe(cited_text);
  expect(byPage).toEqual({ ...citations[1], document_title: "Contract", file_id: null });
});

test("an error leaves the last block open and the message unfinished", () => {
  const cassette = build({ ending: { error: { type: "overloaded_error", message: "Overloaded" } } });
  const { message, error, stopped } = fold(cassette);
  expect(error).toMatchObject({ type: "overloaded_error" });
  expect([cassette.end, stopped, message?.stop_reason]).toEqual(["error", false, null]);
  const names = readEvents(cassette.chunks.map(decodeChunk), "sse").map(({ event }) => event);
  expect(names).not.toContain("content_block_stop");
});

test("splitting at arbitrary bytes preserves any text and leaves no empty chunk", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 1 }), fc.nat(), fc.boolean(), (text, seed, split_bytes) => {
      const cassette = build({ seed, split_bytes, blocks: [{ type: "text", text }] });
      expect(fold(cassette).message?.content).toEqual([{ type: "text", text }]);
      expect(cassette.chunks.every((chunk) => decodeChunk(chunk).bytes.length > 0)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test.each<[string, Json, RegExp]>([
  ["an unknown field", { colour: "red" }, /colour/],
  ["a subtitle without the mark", { subtitle: "Plain" }, /subtitle: must end with " \(authored\)"/],
  ["a model", { request: { ...(scriptOf().request as Json), model: "some-model" } }, /request\.model: must be absent/],
  ["an unknown block", { blocks: [{ type: "song" }] }, /blocks\.0\.type: must have a type of/],
  ["a reversed range", { pace: { first_token_ms: 500, gap_ms: [9, 1] } }, /pace\.gap_ms: must have its minimum/],
  ["no ending", { ending: {} }, /ending: must have either a stop_reason or an error/],
  ["a refusal without details", { ending: { stop_reason: "refusal" } }, /ending: must have stop_details if/],
  ["tool_use without a tool", { ending: { stop_reason: "tool_use" } }, /ending\.stop_reason: must be tool_use if/],
  [
    "a citation of nothing",
    {
      blocks: [{ type: "text", text: "x", citations: [{ type: "char_location", document_index: 0, cited_text: "?" }] }],
    },
    /blocks\.0\.citations\.0\.cited_text: must occur exactly once/,
  ],
])("a script with %s is rejected with an error that names the field", (_name, changes, message) => {
  expect(() => build(changes)).toThrow(message);
  expect(() => build(changes)).toThrow(/^legal\/example: /);
});
