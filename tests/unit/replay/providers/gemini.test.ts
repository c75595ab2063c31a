import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import { arbitraryInput, arbitraryText, foldJson, foldStream, itStreams } from "#tests/support/provider-streams";

const gemini = requireProvider("gemini");

type Json = Record<string, unknown>;

const chunk = (parts: Json[], fields: Json = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...fields }],
  modelVersion: "gemini-2.5-flash",
});
const call = (name: string, fields: Json = {}) => ({ functionCall: { name, args: { city: name }, ...fields } });

it("a stream that Gemini CLI gets after a login with Google is read like any other", () => {
  const events = [chunk([{ text: "Hel" }]), chunk([{ text: "lo" }], { finishReason: "STOP" })];
  const wrapped = events.map((response) => ({ response, traceId: "1" }));
  expect(foldStream(gemini, wrapped)).toEqual(foldStream(gemini, events));
});

describe("a stream of Gemini", () => {
  it("joins texts and keeps thoughts, calls and signatures apart", () => {
    const { body, error, isEnded } = foldStream(gemini, [
      chunk([{ text: "H", thought: true }]),
      chunk([{ text: "m.", thought: true }]),
      chunk([{ text: "Let me " }]),
      chunk([{ text: "see." }]),
      chunk([call("Rome", { id: "call_1" }), call("Lima", { id: "call_2" })]),
      {
        ...chunk([{ text: "", thoughtSignature: "sig" }], { finishReason: "STOP" }),
        usageMetadata: { totalTokenCount: 9 },
      },
    ]);
    expect({ error, isEnded }).toEqual({ error: null, isEnded: true });
    expect(body).toEqual({
      ...chunk(
        [
          { text: "Hm.", thought: true },
          { text: "Let me see." },
          call("Rome", { id: "call_1" }),
          call("Lima", { id: "call_2" }),
          { text: "", thoughtSignature: "sig" },
        ],
        { finishReason: "STOP" },
      ),
      usageMetadata: { totalTokenCount: 9 },
    });
    expect(gemini.readAnswer(body!)).toEqual({
      parts: [
        { kind: "thinking", text: "Hm.", isRedacted: false },
        { kind: "text", text: "Let me see.", citations: [] },
        { kind: "tool", name: "Rome", input: '{"city":"Rome"}', isServer: false, isComplete: true },
        { kind: "tool", name: "Lima", input: '{"city":"Lima"}', isServer: false, isComplete: true },
      ],
      model: "gemini-2.5-flash",
      usage: { totalTokenCount: 9 },
      ids: ["call_1", "call_2"],
      stopReason: "STOP",
    });
  });

  it("has the same answer as a JSON array without alt=sse", () => {
    const events = [chunk([{ text: "Hel" }]), chunk([{ text: "lo" }], { finishReason: "STOP" })];
    expect(foldJson(gemini, events)).toEqual(foldStream(gemini, events));
  });

  it("that was cut off has not ended", () => {
    const folded = foldStream(gemini, [chunk([{ text: "Hel" }]), chunk([{ text: "lo" }])]);
    expect(folded.isEnded).toBe(false);
    expect(gemini.readAnswer(folded.body!)).toMatchObject({
      parts: [{ kind: "text", text: "Hello" }],
      stopReason: null,
    });
  });

  it("keeps the candidates apart", () => {
    const of = (index: number, text: string) => chunk([{ text }], { index });
    const { body } = foldStream(gemini, [of(0, "a"), of(1, "x"), of(0, "b"), of(1, "y")]);
    expect(gemini.readAnswer(body!).parts).toMatchObject([{ text: "ab" }, { text: "xy" }]);
  });

  it("that was rejected ends with a refusal", () => {
    const { body, isEnded } = foldStream(gemini, [{ promptFeedback: { blockReason: "SAFETY" } }]);
    expect(isEnded).toBe(true);
    expect(gemini.readAnswer(body!)).toMatchObject({
      parts: [{ kind: "refusal", text: "SAFETY" }],
      stopReason: "SAFETY",
    });
  });

  it("with an error keeps what came before it", () => {
    const error = { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } };
    const folded = foldStream(gemini, [chunk([{ text: "Hel" }]), error]);
    expect(folded).toEqual({ body: chunk([{ text: "Hel" }]), error, isEnded: false });
    expect(gemini.statusOf(error)).toBe(503);
    expect(gemini.statusOf({ error: { status: "UNAVAILABLE" } })).toBe(503);
    expect(foldJson(gemini, [error])).toEqual({ body: null, error, isEnded: false });
  });
});

describe("an answer of Gemini", () => {
  const part = fc.oneof(
    fc.record({ text: arbitraryText }),
    fc.record({ text: arbitraryText, thought: fc.constant(true) }),
    fc.record({ text: arbitraryText, thoughtSignature: arbitraryText }),
    fc.record({ functionCall: fc.record({ name: arbitraryText, args: arbitraryInput }) }),
  );
  const parts = fc.array(part, { minLength: 1, maxLength: 5 });

  itStreams(
    gemini,
    parts.map((each) => chunk(each, { finishReason: "STOP" })),
  );

  it("sent as a stream is one event", () => {
    const { contentType, events } = gemini.unfold(chunk([{ text: "Hi" }]));
    expect([contentType, events.length]).toEqual(["text/event-stream; charset=utf-8", 1]);
  });

  it("says the same however its stream is divided", () => {
    fc.assert(
      fc.property(parts, fc.nat(5), (each, cut) => {
        const whole = chunk(each, { finishReason: "STOP" });
        const divided = [
          ...each.slice(0, cut).map((one) => chunk([one])),
          chunk(each.slice(cut), { finishReason: "STOP" }),
        ];
        const { body, isEnded } = foldStream(gemini, divided);
        expect(isEnded).toBe(true);
        expect(gemini.readAnswer(body!)).toEqual(gemini.readAnswer(whole));
      }),
    );
  });

  it("shows code that Gemini ran, its result and the sources", () => {
    const grounding = {
      groundingChunks: [{ web: { uri: "https://example.com/", title: "Report" } }],
      groundingSupports: [{ segment: { text: "Rain." }, groundingChunkIndices: [0] }],
    };
    const code = { language: "PYTHON", code: "1+1" };
    const result = { outcome: "OUTCOME_OK", output: "2" };
    const body = chunk([{ executableCode: code }, { codeExecutionResult: result }, { text: "Rain." }], {
      groundingMetadata: grounding,
    });
    expect(gemini.readAnswer(body).parts).toEqual([
      { kind: "tool", name: "executableCode", input: JSON.stringify(code), isServer: true, isComplete: true },
      { kind: "result", name: "codeExecutionResult", content: result },
      { kind: "text", text: "Rain.", citations: [{ quote: "Rain.", source: "Report", url: "https://example.com/" }] },
    ]);
  });

  it("is announced piece by piece", () => {
    expect(gemini.readDeltas(chunk([{ text: "a" }, { text: "b" }, call("Rome")]))).toEqual([
      { kind: "text", text: "ab" },
      { kind: "tool", name: "Rome", text: '{"city":"Rome"}' },
    ]);
    expect(gemini.readDeltas(chunk([call("Rome")]))).toHaveLength(1);
    expect(gemini.readDeltas(chunk([], { finishReason: "STOP" }))).toEqual([]);
  });
});

describe("a request to Gemini", () => {
  it("has its model in its path", () => {
    const contents = [
      { role: "user", parts: [{ text: "Weather?" }] },
      { role: "model", parts: [call("Rome", { id: "call_1" })] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "Rome" } }, { functionResponse: { name: "Lima" } }],
      },
    ];
    const path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";
    expect(gemini.readQuestion({ method: "POST", path, query: "alt=sse", body: { contents } })).toEqual({
      prompt: "Weather?",
      model: "gemini-2.5-pro",
      assistantTurns: 1,
      answeredIds: ["call_1"],
    });
  });

  it("is recorded at the path of its model", () => {
    const { pathOf } = gemini.upstream;
    expect(pathOf({}, { model: undefined, isStream: false })).toEqual({
      path: "/v1beta/models/gemini-2.5-flash:generateContent",
      query: "",
    });
    expect(pathOf({ model: "a" }, { model: "models/b", isStream: true })).toEqual({
      path: "/v1beta/models/b:streamGenerateContent",
      query: "alt=sse",
    });
  });
});
