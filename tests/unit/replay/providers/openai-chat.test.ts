import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import { arbitraryText, foldStream, itStreams } from "#tests/support/provider-streams";

const chat = requireProvider("openai-chat");

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt" };
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const call = (index: number, fields: object) => ({ tool_calls: [{ index, ...fields }] });

describe("a stream of Chat Completions", () => {
  const parallel = [
    chunk({ role: "assistant", content: null, refusal: null }),
    chunk(call(0, { id: "call_1", type: "function", function: { name: "weather", arguments: "" } })),
    chunk(call(0, { function: { arguments: '{"city":' } })),
    chunk(call(1, { id: "call_2", type: "function", function: { name: "time", arguments: "{}" } })),
    chunk(call(0, { function: { arguments: '"Rome"}' } })),
    chunk({}, "tool_calls"),
    { ...head, choices: [], usage: { total_tokens: 9 } },
    "[DONE]",
  ];

  it("with parallel tool calls has the arguments and id of each", () => {
    const { body, error, isEnded } = foldStream(chat, parallel);
    expect({ error, isEnded }).toEqual({ error: null, isEnded: true });
    expect(chat.readAnswer(body!)).toEqual({
      parts: [
        { kind: "tool", name: "weather", input: '{"city":"Rome"}', isServer: false, isComplete: true },
        { kind: "tool", name: "time", input: "{}", isServer: false, isComplete: true },
      ],
      model: "gpt",
      usage: { total_tokens: 9 },
      ids: ["call_1", "call_2"],
      stopReason: "tool_calls",
    });
  });

  it("that was cut off shows the beginning of a tool's arguments", () => {
    const { body, isEnded } = foldStream(chat, parallel.slice(0, 3));
    expect(isEnded).toBe(false);
    expect(chat.readAnswer(body!)).toMatchObject({
      parts: [{ kind: "tool", input: '{"city":', isComplete: false }],
      stopReason: null,
    });
  });

  it("with a refusal has no text", () => {
    const { body } = foldStream(chat, [
      chunk({ refusal: "I can't " }),
      chunk({ refusal: "do that." }),
      chunk({}, "stop"),
    ]);
    expect(chat.readAnswer(body!).parts).toEqual([{ kind: "refusal", text: "I can't do that." }]);
  });

  it("keeps every log probability and annotation", () => {
    const token = (content: string) =>
      chunk({ content, annotations: [content] }, null, { logprobs: { content: [{ token: content }] } });
    const { body } = foldStream(chat, [token("a"), chunk({}, null, { logprobs: null }), token("b"), chunk({}, "stop")]);
    expect(body).toMatchObject({
      choices: [
        {
          message: { content: "ab", annotations: ["a", "b"] },
          logprobs: { content: [{ token: "a" }, { token: "b" }] },
          finish_reason: "stop",
        },
      ],
    });
  });

  it("with an error keeps what came before it, also if the error is in a chunk of the answer", () => {
    const error = { message: "Too long.", code: 400 };
    const text = chunk({ content: "Hel" });
    for (const last of [{ error }, { ...chunk({ content: "" }), error }]) {
      const { body, ...folded } = foldStream(chat, [text, last]);
      expect(folded).toEqual({ error: { error }, isEnded: false });
      expect(body).not.toHaveProperty("error");
      expect(chat.readAnswer(body!).parts).toEqual([{ kind: "text", text: "Hel", citations: [] }]);
    }
    expect(chat.statusOf({ error })).toBe(400);
  });
});

describe("an answer of Chat Completions", () => {
  const toolCall = fc.record({
    id: arbitraryText,
    type: fc.constant("function"),
    function: fc.record({ name: arbitraryText, arguments: arbitraryText }),
  });
  const text = fc.option(arbitraryText, { nil: null });
  const message = fc.record(
    {
      role: fc.constant("assistant"),
      content: text,
      refusal: text,
      reasoning_content: arbitraryText,
      annotations: fc.constantFrom([], [{ type: "url_citation" }]),
      tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ["role", "content"] },
  );
  const choice = fc.record({ message, finish_reason: fc.constantFrom("stop", "length"), logprobs: fc.constant(null) });
  const completion = fc.record(
    {
      id: arbitraryText,
      object: fc.constant("chat.completion"),
      created: fc.nat(),
      model: arbitraryText,
      choices: fc
        .array(choice, { minLength: 1, maxLength: 3 })
        .map((choices) => choices.map((each, index) => ({ index, ...each }))),
      usage: fc.record({ total_tokens: fc.nat() }),
      system_fingerprint: text,
    },
    { requiredKeys: ["id", "object", "created", "model", "choices"] },
  );

  itStreams(chat, completion);
});

describe("a request to Chat Completions", () => {
  it("continues the tool calls that have results after the last answer", () => {
    const messages = [
      { role: "user", content: "Weather?" },
      { role: "assistant", tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
      { role: "tool", tool_call_id: "call_1", content: "Rain" },
      { role: "tool", tool_call_id: "call_2", content: "Noon" },
    ];
    const request = { method: "POST", path: "/v1/chat/completions", query: "", body: { model: "gpt", messages } };
    expect(chat.readQuestion(request)).toEqual({
      prompt: "Weather?",
      model: "gpt",
      assistantTurns: 1,
      answeredIds: ["call_1", "call_2"],
      asksUsage: false,
    });
  });

  it.each([
    [{ code: "RateLimitReached" }, 429],
    [{ type: "insufficient_quota" }, 429],
    [{ message: "No.", status_code: 403 }, 403],
    [{ code: "context_length_exceeded" }, 400],
    [{}, 500],
  ])("that fails with %j in a stream has status %i", (error, status) => {
    expect(chat.statusOf({ error })).toBe(status);
  });
});
