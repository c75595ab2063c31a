import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "#lib/replay/providers/index";
import {
  arbitraryInput,
  arbitraryText,
  foldJson,
  foldStream,
  itStreams,
  sendAsStream,
} from "#tests/support/provider-streams";

const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    usage: { input_tokens: 3 },
  },
};
const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
const openTool = (index: number, id: string) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id, name: "weather", input: {} },
});
const end = { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } };
const stop = { type: "message_stop" };

describe("a stream of Anthropic", () => {
  const parallel = [
    start,
    openTool(0, "toolu_1"),
    openTool(1, "toolu_2"),
    delta(1, { type: "input_json_delta", partial_json: '{"city":"Lima"}' }),
    delta(0, { type: "input_json_delta", partial_json: '{"city":' }),
    delta(0, { type: "input_json_delta", partial_json: '"Rome"}' }),
    end,
    stop,
  ];

  it("with parallel tool calls has the input and id of each", () => {
    const { body, error, isEnded } = foldStream(anthropic, parallel);
    expect({ error, isEnded }).toEqual({ error: null, isEnded: true });
    expect(anthropic.readAnswer(body!)).toEqual({
      parts: [
        { kind: "tool", name: "weather", input: '{"city":"Rome"}', isServer: false, isComplete: true },
        { kind: "tool", name: "weather", input: '{"city":"Lima"}', isServer: false, isComplete: true },
      ],
      model: "claude",
      usage: { input_tokens: 3, output_tokens: 7 },
      ids: ["toolu_1", "toolu_2"],
      stopReason: "tool_use",
    });
  });

  it("begins with one token, so that clients that add the counts of both ends get at most one too many", () => {
    const usage = { input_tokens: 3, output_tokens: 606, output_tokens_details: { thinking_tokens: 9 } };
    const { events } = anthropic.unfold({ ...start.message, usage });
    const [first, last] = [events[0], events.at(-2)].map((event) => JSON.parse(event!.split("data: ")[1]!));
    expect(first.message.usage).toEqual({ input_tokens: 3, output_tokens: 1 });
    expect(last.usage).toEqual(usage);
  });

  it("that was cut off shows the beginning of a tool's input", () => {
    const { body, isEnded } = foldStream(anthropic, [...parallel.slice(0, 2), parallel[4]!]);
    expect(isEnded).toBe(false);
    expect(anthropic.readAnswer(body!).parts).toEqual([
      { kind: "tool", name: "weather", input: '{"city":', isServer: false, isComplete: false },
    ]);
    expect(sendAsStream(anthropic, body!).body).toMatchObject({ content: body!.content as object[] });
  });

  it("with an error keeps what came before it", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const opened = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
    const folded = foldStream(anthropic, [start, opened, delta(0, { type: "text_delta", text: "Hel" }), error]);
    expect(folded).toMatchObject({ error, isEnded: false, body: { content: [{ type: "text", text: "Hel" }] } });
    expect(anthropic.statusOf(error)).toBe(529);
  });

  it("may be a refusal without content", () => {
    const refusal = { type: "message_delta", delta: { stop_reason: "refusal" }, usage: {} };
    const { body } = foldStream(anthropic, [start, refusal, stop]);
    expect(anthropic.readAnswer(body!)).toMatchObject({ parts: [], stopReason: "refusal" });
  });
});

describe("an answer of Anthropic", () => {
  const citation = { type: "char_location", cited_text: "Rain.", document_title: "Report" };
  const citations = fc.option(fc.constantFrom([], [citation], [citation, { ...citation, cited_text: "Sun." }]), {
    nil: undefined,
  });
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text: arbitraryText, citations }),
    fc.record({ type: fc.constant("thinking"), thinking: arbitraryText, signature: arbitraryText }),
    fc.record({ type: fc.constant("redacted_thinking"), data: arbitraryText }),
    fc.record({ type: fc.constant("tool_use"), id: arbitraryText, name: arbitraryText, input: arbitraryInput }),
    fc.record({ type: fc.constant("web_search_tool_result"), content: fc.array(arbitraryInput, { maxLength: 2 }) }),
  );
  const message = fc.record({
    id: fc.constant("msg_1"),
    type: fc.constant("message"),
    role: fc.constant("assistant"),
    model: arbitraryText,
    content: fc.array(block, { maxLength: 4 }),
    stop_reason: fc.constantFrom("end_turn", "tool_use"),
    stop_sequence: fc.constant(null),
    usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
  });

  itStreams(anthropic, message);

  it("that was not streamed is read as it is", () => {
    const body = { type: "message", content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" };
    expect(foldJson(anthropic, body)).toEqual({ body, error: null, isEnded: true });
  });
});

describe("a request to Anthropic", () => {
  it("continues the tool calls that every message after the last answer has results of", () => {
    const result = (tool_use_id: string) => ({ type: "tool_result", tool_use_id });
    const messages = [
      { role: "user", content: [result("toolu_earlier")] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1" }] },
      { role: "user", content: [result("toolu_1")] },
      { role: "user", content: [result("toolu_2"), { type: "text", text: "Go on." }] },
      { role: "system", content: "The date has changed." },
    ];
    const body = { model: "claude", stream: true, messages };
    expect(anthropic.readQuestion({ method: "POST", path: "/v1/messages", query: "", body })).toEqual({
      prompt: "Go on.",
      model: "claude",
      assistantTurns: 1,
      answeredIds: ["toolu_1", "toolu_2"],
    });
  });
});
