import fc from "fast-check";
import { expect, test } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import { foldStream, toStream } from "#tests/support/provider-streams";

type Json = Record<string, unknown>;

/** Events that name places by an index, as each protocol sends them. */
const eventsOf: Record<string, (index: number, other: number) => Json[]> = {
  "openai-chat": (index, other) => [
    {
      object: "chat.completion.chunk",
      choices: [{ index, delta: { tool_calls: [{ index: other, function: { name: "f", arguments: "{}" } }] } }],
    },
  ],
  "openai-responses": (index, other) => [
    { type: "response.created", response: { status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: index, item: { type: "message", content: [] } },
    { type: "response.output_text.delta", output_index: index, content_index: other, delta: "a" },
    { type: "response.reasoning_summary_text.delta", output_index: index, summary_index: other, delta: "b" },
  ],
  anthropic: (index, other) => [
    { type: "message_start", message: { content: [] } },
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: other, delta: { type: "text_delta", text: "a" } },
    { type: "content_block_stop", index },
  ],
  gemini: (index, other) => [
    {
      candidates: [
        {
          index,
          content: { parts: [{ text: "a" }] },
          groundingMetadata: { groundingSupports: [{ groundingChunkIndices: [other] }] },
        },
      ],
    },
  ],
};

const anyIndex = fc.oneof(fc.integer(), fc.nat(3), fc.maxSafeInteger(), fc.double({ noNaN: true }));

test.each(Object.keys(eventsOf))("an answer of %s with any indexes folds to no more than its events have", (name) => {
  const provider = requireProvider(name);
  fc.assert(
    fc.property(fc.array(fc.tuple(anyIndex, anyIndex), { minLength: 1, maxLength: 20 }), (pairs) => {
      const events = pairs.flatMap(([index, other]) => eventsOf[name]?.(index, other) ?? []);
      const { body } = foldStream(provider, events);
      provider.readAnswer(body as Json);
      expect(JSON.stringify(body).length).toBeLessThan(2 * toStream(events).length);
    }),
  );
});

test.each([1, 1_000_000_000, -1])("a tool call with the index %d, and no other, is the only one", (index) => {
  const call = { index, id: "call_1", function: { name: "f", arguments: "{" } };
  const more = { index, function: { arguments: "}" } };
  const events = [call, more].map((each) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { tool_calls: [each] } }],
  }));
  expect(foldStream(requireProvider("openai-chat"), events).body).toMatchObject({
    choices: [{ message: { tool_calls: [{ id: "call_1", function: { name: "f", arguments: "{}" } }] } }],
  });
});

test.each([7, 1_000_000_000, -1])("a text with the index %d, and no other, is one part", (content_index) => {
  const events = [
    { type: "response.created", response: { status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 3, item: { type: "message", content: [] } },
    ...["a", "b"].map((delta) => ({ type: "response.output_text.delta", output_index: 3, content_index, delta })),
  ];
  expect(foldStream(requireProvider("openai-responses"), events).body).toMatchObject({
    output: [{ content: [{ text: "ab" }] }],
  });
});

test("a candidate of Gemini without an index is none of those with one", () => {
  const events = [{ candidates: [{ index: 1 }] }, { candidates: [{ finishReason: "STOP" }] }, { usageMetadata: {} }];
  expect(foldStream(requireProvider("gemini"), events).body).toMatchObject({
    candidates: [{ index: 1 }, { finishReason: "STOP" }],
  });
});

/** Answers whose every event begins a place of its own. */
const manyPlaces: Record<string, (index: number) => Json> = {
  "openai-chat": (index) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index }] } }] }),
  anthropic: (index) => ({ type: "content_block_start", index, content_block: { type: "text" } }),
  gemini: (index) => ({ candidates: [{ index: index % 50_000, content: { parts: [{ functionCall: {} }] } }] }),
  ollama: () => ({ message: { tool_calls: [{ function: {} }] } }),
};

test.each(Object.keys(manyPlaces))(
  "an answer of %s with 200,000 events, each with a place of its own, is folded and read",
  (name) => {
    const provider = requireProvider(name);
    const events = Array.from({ length: 200_000 }, (_, index) => ({
      event: "message",
      data: "",
      json: manyPlaces[name]?.(index) ?? {},
    }));
    const first = { type: "message_start", message: {} };
    const { body } = provider.fold([{ event: "message", data: "", json: first }, ...events]);
    const { parts } = provider.readAnswer(body as Json);
    expect(parts).toHaveLength(events.length);
  },
);

test("a tool call without an index, after calls with gaps between theirs, is a call of its own", () => {
  const calls = [{ index: 0, id: "a" }, { index: 2, id: "b" }, { id: "c" }];
  const events = calls.map((call) => ({
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { tool_calls: [{ ...call, function: { name: call.id, arguments: "{}" } }] } }],
  }));
  const { body } = foldStream(requireProvider("openai-chat"), events);
  expect(body).toMatchObject({ choices: [{ message: { tool_calls: ["a", "b", "c"].map((id) => ({ id })) } }] });
});

test("a part of Responses without an index, after parts with gaps between theirs, is a part of its own", () => {
  const parts = [{ content_index: 0 }, { content_index: 2 }, {}];
  const events = [
    { type: "response.created", response: { status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", content: [] } },
    ...parts.map((place, index) => ({
      type: "response.content_part.added",
      output_index: 0,
      ...place,
      part: { type: "output_text", text: `${index}` },
    })),
  ];
  const { body } = foldStream(requireProvider("openai-responses"), events);
  expect(body).toMatchObject({ output: [{ content: ["0", "1", "2"].map((text) => ({ text })) }] });
});
