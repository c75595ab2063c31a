import { describe, expect, it } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import { describeEvent } from "../../../app/_components/player/event-list";

describe("the line of an event", () => {
  const line = (name: string, data: unknown, event = "message") =>
    describeEvent(requireProvider(name), { event, data: JSON.stringify(data), json: data as Record<string, unknown> });

  it.each<[string, string, unknown, string?]>([
    [
      "anthropic",
      'text "Hi"',
      { type: "content_block_delta", delta: { type: "text_delta", text: "Hi" } },
      "content_block_delta",
    ],
    [
      "anthropic",
      "tool look",
      { type: "content_block_start", content_block: { type: "tool_use", name: "look" } },
      "content_block_start",
    ],
    ["openai-chat", 'text "No."', { choices: [{ delta: { refusal: "No." } }] }],
    [
      "openai-chat",
      "tool look",
      { choices: [{ delta: { tool_calls: [{ function: { name: "look", arguments: "" } }] } }] },
    ],
    [
      "openai-responses",
      'thinking "Hm"',
      { type: "response.reasoning_summary_text.delta", delta: "Hm" },
      "response.reasoning_summary_text.delta",
    ],
    [
      "gemini",
      'tool look "{\\"a\\":1}"',
      { candidates: [{ content: { parts: [{ functionCall: { name: "look", args: { a: 1 } } }] } }] },
    ],
    ["gemini", 'error "{\\"code\\":503}"', { error: { code: 503 } }],
    ["ollama", 'thinking "Hm"', { message: { content: "", thinking: "Hm" } }],
  ])("of %s says what it adds: %s", (provider, expected, data, event) => {
    expect(line(provider, data, event)).toBe(expected);
  });

  it("is the name, if there is one, and the data of an event that adds nothing", () => {
    expect(line("anthropic", { type: "ping" }, "ping")).toBe('ping {"type":"ping"}');
    expect(line("openai-chat", { choices: [] })).toBe('{"choices":[]}');
    expect(describeEvent(requireProvider("openai-chat"), { event: "message", data: "[DONE]", json: null })).toBe(
      "[DONE]",
    );
  });
});
