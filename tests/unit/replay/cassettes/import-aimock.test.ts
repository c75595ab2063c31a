import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCapture } from "#lib/replay/cassettes/import/import-capture";
import { readMessage } from "#tests/support/read-message";

type Json = Record<string, unknown>;

function read(fixtures: Json[], options: { entry?: number; chunkMs?: number } = {}) {
  return readCapture({ file: "anthropic.json", bytes: Buffer.from(JSON.stringify({ fixtures }, null, 2)) }, options);
}

const match = { userMessage: "Well?", model: "claude-test-1", turnIndex: 0, hasToolResult: false };
const usage = { input_tokens: 12, output_tokens: 34 };
const messageOf = (stream: ReturnType<typeof read>) => readMessage(stream.chunks).message;

describe("an aimock fixture", () => {
  test("with times becomes as many events as the provider sent, each at its time, and notes what was generated", () => {
    const recordedTimings = { ttftMs: 412, interChunkDelaysMs: [3, 0, 40, 41, 39, 38, 5, 1, 0], totalDurationMs: 579 };
    const stream = read([{ match, response: { content: "Hello there, naïve 🙂 reader.", usage }, recordedTimings }]);
    expect(stream.chunks.map(({ deltaMs }) => deltaMs)).toEqual([412, 3, 0, 40, 41, 39, 38, 5, 1, 0]);
    expect(messageOf(stream)).toMatchObject({
      model: "claude-test-1",
      content: [{ type: "text", text: "Hello there, naïve 🙂 reader." }],
      stop_reason: "end_turn",
      usage,
    });
    expect(stream).toMatchObject({
      timing: "measured",
      body: { model: "claude-test-1", messages: [{ role: "user", content: "Well?" }] },
      source: {
        format: "aimock",
        rebuilt: true,
        note: expect.stringContaining("content"),
        times: expect.stringContaining("aimock's clock"),
      },
    });
  });

  test("keeps every time and every character, for any number of times that its text can be split into", () => {
    const delays = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 12, maxLength: 40 });
    const text = fc.string({ unit: "grapheme", minLength: 40, maxLength: 200 });
    fc.assert(
      fc.property(text, text, delays, (content, reasoning, interChunkDelaysMs) => {
        const recordedTimings = { ttftMs: 100, interChunkDelaysMs };
        const stream = read([{ match, response: { content, reasoning, reasoningSignature: "c2ln" }, recordedTimings }]);
        expect(stream.timing).toBe("measured");
        expect(stream.chunks.map(({ deltaMs }) => deltaMs)).toEqual([100, ...interChunkDelaysMs]);
        expect(messageOf(stream)?.content).toEqual([
          { type: "thinking", thinking: reasoning, signature: "c2ln" },
          { type: "text", text: content },
        ]);
      }),
    );
  });

  test.each([
    ["fewer times than a message has events", { ttftMs: 5, interChunkDelaysMs: [1, 1] }],
    ["more times than its text has letters", { ttftMs: 5, interChunkDelaysMs: Array.from({ length: 90 }, () => 1) }],
    ["no times", undefined],
  ])("with %s is not marked as measured", (_what, recordedTimings) => {
    const stream = read([{ match, response: { content: "Short." }, recordedTimings }]);
    expect(stream.timing).toBe("synthetic");
    expect(stream.source.times).toMatch(/synthetic/);
    expect(messageOf(stream)?.content).toEqual([{ type: "text", text: "Short." }]);
  });

  test("with tools, blocks and redacted thinking keeps them all, in aimock's order", () => {
    const toolCalls = [{ name: "look_up", arguments: '{"q":"x"}', id: "toolu_9" }];
    const blocks = [
      { type: "toolCall", name: "look_up", arguments: { q: "x" }, id: "toolu_9" },
      { type: "text", text: "There it is." },
    ];
    const stream = read([
      { match, response: { content: "There it is.", toolCalls, blocks, redactedThinking: ["b3BhcXVl"] } },
    ]);
    expect(messageOf(stream)).toMatchObject({
      content: [
        { type: "redacted_thinking", data: "b3BhcXVl" },
        { type: "tool_use", id: "toolu_9", name: "look_up", input: { q: "x" } },
        { type: "text", text: "There it is." },
      ],
      stop_reason: "tool_use",
    });
  });

  test("of an error becomes the provider's error response", () => {
    const stream = read([
      { match, response: { error: { message: "Overloaded", type: "overloaded_error" }, status: 529 } },
    ]);
    expect(stream).toMatchObject({ status: 529, headers: { "content-type": "application/json" } });
    expect(JSON.parse(Buffer.from(stream.chunks[0]?.bytes ?? []).toString())).toEqual({
      type: "error",
      error: { type: "overloaded_error", message: "Overloaded" },
    });
  });

  test("is chosen by its number if there are several", () => {
    const fixtures = ["One.", "Two."].map((content) => ({ match, response: { content } }));
    expect(() => read(fixtures)).toThrow(/anthropic\.json: has 2 fixtures; choose one with --entry <number>/);
    expect(messageOf(read(fixtures, { entry: 2 }))?.content).toEqual([{ type: "text", text: "Two." }]);
    expect(() => read(fixtures, { entry: 3 })).toThrow(/has no fixture 3; it has 2/);
  });

  test.each([
    [[{ match, response: { embedding: [1, 2] } }], /has no text or tool calls/],
    [[{ match, response: { content: 7 } }], /fixture 1: response\.content/],
    [
      [{ match, response: { content: "x" }, recordedTimings: { ttftMs: -1, interChunkDelaysMs: [] } }],
      /recordedTimings\.ttftMs/,
    ],
  ])("that cannot be imported is an error with its reason", (fixtures, message) => {
    expect(() => read(fixtures as Json[])).toThrow(message);
  });
});
