import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import { arbitraryInput, arbitraryText, eventsOf, itStreams, sendAsStream } from "#tests/support/provider-streams";

const ollama = requireProvider("ollama");

type Json = Record<string, unknown>;

const head = { model: "llama3", created_at: "2026-01-01T00:00:00Z" };
const line = (message: Json) => ({ ...head, message: { role: "assistant", content: "", ...message }, done: false });
const end = { ...head, message: { role: "assistant", content: "" }, done: true, prompt_eval_count: 3, eval_count: 7 };
const call = (name: string, fields: Json = {}) => ({ ...fields, function: { name, arguments: { city: name } } });

function foldLines(lines: readonly Json[]) {
  return ollama.fold(eventsOf(lines.map((each) => `${JSON.stringify(each)}\n`).join(""), "application/x-ndjson"));
}

describe("a stream of Ollama", () => {
  it("joins thinking, text and parallel tool calls", () => {
    const { body, error, isEnded } = foldLines([
      line({ thinking: "H" }),
      line({ thinking: "m." }),
      line({ content: "Let me " }),
      line({ content: "see." }),
      line({ tool_calls: [call("Rome", { id: "call_1" })] }),
      line({ tool_calls: [call("Lima")] }),
      end,
    ]);
    expect({ error, isEnded }).toEqual({ error: null, isEnded: true });
    expect(ollama.readAnswer(body!)).toEqual({
      parts: [
        { kind: "thinking", text: "Hm.", isRedacted: false },
        { kind: "text", text: "Let me see.", citations: [] },
        { kind: "tool", name: "Rome", input: '{"city":"Rome"}', isServer: false, isComplete: true },
        { kind: "tool", name: "Lima", input: '{"city":"Lima"}', isServer: false, isComplete: true },
      ],
      model: "llama3",
      usage: { prompt_eval_count: 3, eval_count: 7 },
      ids: ["call_1"],
      stopReason: "stop",
    });
  });

  it("of /api/generate has its text in another field", () => {
    const of = (response: string, fields: Json = {}) => ({ ...head, response, done: false, ...fields });
    const { body } = foldLines([
      of("", { thinking: "Hm." }),
      of("Hel"),
      of("lo"),
      of("", { done: true, done_reason: "length" }),
    ]);
    expect(body).toEqual({ ...head, thinking: "Hm.", response: "Hello", done: true, done_reason: "length" });
    expect(ollama.readAnswer(body!)).toMatchObject({
      parts: [
        { kind: "thinking", text: "Hm." },
        { kind: "text", text: "Hello" },
      ],
      stopReason: "length",
    });
  });

  it("that was cut off has not ended", () => {
    const folded = foldLines([line({ content: "Hel" }), line({ content: "lo" })]);
    expect(folded).toEqual({ body: line({ content: "Hello" }), error: null, isEnded: false });
    expect(ollama.readAnswer(folded.body!).stopReason).toBeNull();
    expect(sendAsStream(ollama, folded.body!)).toEqual(folded);
  });

  it("with an error keeps what came before it", () => {
    const error = { error: "model 'x' not found" };
    expect(foldLines([line({ content: "Hel" }), error])).toEqual({
      body: line({ content: "Hel" }),
      error,
      isEnded: false,
    });
    expect(ollama.statusOf(error)).toBe(404);
    expect(ollama.statusOf({ error: "out of memory" })).toBe(500);
  });
});

describe("an answer of Ollama", () => {
  const counts = { done: fc.constant(true), done_reason: fc.constant("stop"), eval_count: fc.nat() };
  const toolCall = fc.record({ function: fc.record({ name: arbitraryText, arguments: arbitraryInput }) });
  const message = fc.record(
    {
      role: fc.constant("assistant"),
      content: arbitraryText,
      thinking: arbitraryText,
      tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ["role", "content"] },
  );
  const answer = fc.oneof(
    fc.record({ model: arbitraryText, created_at: arbitraryText, message, ...counts }),
    fc.record(
      { model: arbitraryText, created_at: arbitraryText, response: arbitraryText, thinking: arbitraryText, ...counts },
      { requiredKeys: ["model", "created_at", "response", "done"] },
    ),
  );

  itStreams(ollama, answer);

  it("has no thinking in the line with the counts", () => {
    const { events } = ollama.unfold({ ...end, message: { role: "assistant", content: "Yes.", thinking: "Hm." } });
    expect(JSON.parse(events.at(-1)!)).toEqual(end);
  });

  it("sent as a stream is a line with the message and a line with the counts", () => {
    const { contentType, events } = ollama.unfold({ ...end, message: { role: "assistant", content: "Hi" } });
    expect(contentType).toBe("application/x-ndjson");
    expect(events.map((each) => JSON.parse(each))).toEqual([line({ content: "Hi" }), end]);
    expect(events.every((each) => each.endsWith("\n"))).toBe(true);
  });

  it("is announced piece by piece", () => {
    expect(ollama.readDeltas(line({ thinking: "Hm" }))).toEqual([{ kind: "thinking", text: "Hm" }]);
    expect(ollama.readDeltas(line({ content: "Hi" }))).toEqual([{ kind: "text", text: "Hi" }]);
    expect(ollama.readDeltas(line({ tool_calls: [call("Rome")] }))).toMatchObject([{ kind: "tool", name: "Rome" }]);
    expect(ollama.readDeltas(end)).toEqual([]);
    expect(ollama.readDeltas({ error: "No." })).toMatchObject([{ kind: "error" }]);
  });
});

describe("a request to Ollama", () => {
  const ask = (path: string, body: Json) => ollama.readQuestion({ method: "POST", path, query: "", body });

  it("has its messages, and results of tools among them", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "tool", content: "1" },
    ];
    const question = { prompt: "Hi", model: "llama3", assistantTurns: 1, answeredIds: [] };
    expect(ask("/api/chat", { model: "llama3", messages })).toEqual(question);
  });

  it("may have a prompt instead of messages", () => {
    expect(ask("/api/generate", { prompt: "Hi" })).toMatchObject({ prompt: "Hi", assistantTurns: 0 });
    const { pathOf } = ollama.upstream;
    const input = { model: undefined, isStream: true };
    expect(pathOf({ prompt: "Hi" }, input).path).toBe("/api/generate");
    expect(pathOf({ messages: [] }, input).path).toBe("/api/chat");
  });
});
