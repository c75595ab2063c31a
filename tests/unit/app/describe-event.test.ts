import { describe, expect, it } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import { describeEvent } from "../../../app/_components/player/event-list";

describe("the line of an event", () => {
  /** Events have the name of their type, if they have one. */
  const line = (name: string, json: { type?: string; [field: string]: unknown }) =>
    describeEvent(requireProvider(name), { event: json.type ?? "message", data: JSON.stringify(json), json });
  const chat = (delta: object) => ({ choices: [{ delta }] });
  const gemini = (part: object) => ({ candidates: [{ content: { parts: [part] } }] });

  it.each([
    ["anthropic", 'text "Hi"', { type: "content_block_delta", delta: { type: "text_delta", text: "Hi" } }],
    ["anthropic", "tool look", { type: "content_block_start", content_block: { type: "tool_use", name: "look" } }],
    ["openai-chat", 'text "No."', chat({ refusal: "No." })],
    ["openai-chat", "tool look", chat({ tool_calls: [{ function: { name: "look", arguments: "" } }] })],
    ["openai-responses", 'thinking "Hm"', { type: "response.reasoning_summary_text.delta", delta: "Hm" }],
    ["gemini", 'tool look "{\\"a\\":1}"', gemini({ functionCall: { name: "look", args: { a: 1 } } })],
    ["gemini", 'error "{\\"code\\":503}"', { error: { code: 503 } }],
    ["ollama", 'thinking "Hm"', { message: { content: "", thinking: "Hm" } }],
  ])("of %s says what it adds: %s", (provider, expected, data) => {
    expect(line(provider, data)).toBe(expected);
  });

  it("is the name, if there is one, and the data of an event that adds nothing", () => {
    expect(line("anthropic", { type: "ping" })).toBe('ping {"type":"ping"}');
    expect(line("openai-chat", { choices: [] })).toBe('{"choices":[]}');
    const done = { event: "message", data: "[DONE]", json: null };
    expect(describeEvent(requireProvider("openai-chat"), done)).toBe("[DONE]");
  });
});
