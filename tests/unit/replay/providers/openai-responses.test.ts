import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireProvider } from "#lib/replay/providers/index";
import {
  arbitraryText,
  eventsOf,
  foldStream,
  itStreams,
  sendAsStream,
  toStream,
} from "#tests/support/provider-streams";

const responses = requireProvider("openai-responses");

const started = { id: "resp_1", object: "response", status: "in_progress", model: "gpt", output: [], usage: null };
const created = { type: "response.created", response: started };
const added = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item });
const call = (id: string, fields: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "weather",
  arguments: "",
  status: "in_progress",
  ...fields,
});
const argumentsDelta = (output_index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta,
});
const message = { type: "message", role: "assistant", status: "in_progress", content: [] };
const textDelta = (delta: string) => ({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta });

describe("a stream of Responses", () => {
  const parallel = [
    created,
    added(0, call("call_1")),
    added(1, call("call_2")),
    argumentsDelta(1, "{}"),
    argumentsDelta(0, '{"city":'),
  ];

  it("that was cut off shows the beginning of parallel tool calls", () => {
    const { body, error, isEnded } = foldStream(responses, parallel);
    expect({ error, isEnded }).toEqual({ error: null, isEnded: false });
    expect(responses.readAnswer(body!)).toEqual({
      parts: [
        { kind: "tool", name: "weather", input: '{"city":', isServer: false, isComplete: false },
        { kind: "tool", name: "weather", input: "{}", isServer: false, isComplete: false },
      ],
      model: "gpt",
      usage: {},
      ids: ["resp_1", "call_1", "call_2"],
      stopReason: null,
    });
    expect(sendAsStream(responses, body!)).toMatchObject({ body: { status: "in_progress" }, isEnded: false });
  });

  it("has a complete call as soon as its item is done", () => {
    const item = call("call_2", { arguments: "{}", status: "completed" });
    const { body } = foldStream(responses, [...parallel, { type: "response.output_item.done", output_index: 1, item }]);
    expect(responses.readAnswer(body!).parts).toMatchObject([{ isComplete: false }, { isComplete: true }]);
  });

  it("shows reasoning, text, citations and a refusal while they arrive", () => {
    const place = { output_index: 1, content_index: 0 };
    const { body } = foldStream(responses, [
      created,
      added(0, { type: "reasoning", summary: [] }),
      {
        type: "response.reasoning_summary_part.added",
        output_index: 0,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm." },
      added(1, message),
      { type: "response.content_part.added", ...place, part: { type: "output_text", text: "", annotations: [] } },
      { type: "response.output_text.delta", ...place, delta: "Ra" },
      { type: "response.output_text.delta", ...place, delta: "in." },
      {
        type: "response.output_text.annotation.added",
        ...place,
        annotation: { type: "url_citation", title: "Report", url: "https://example.com/" },
      },
      { type: "response.refusal.delta", output_index: 1, content_index: 1, delta: "No." },
    ]);
    expect(responses.readAnswer(body!).parts).toEqual([
      { kind: "thinking", text: "Hm.", isRedacted: false },
      { kind: "text", text: "Rain.", citations: [{ quote: "", source: "Report", url: "https://example.com/" }] },
      { kind: "refusal", text: "No." },
    ]);
  });

  it("is folded the same way a second time", () => {
    const open = { ...message, content: [{ type: "output_text", text: "" }] };
    const events = eventsOf(toStream([created, added(0, open), textDelta("Hel"), textDelta("lo")]));
    const first = structuredClone(responses.fold(events));
    expect(first.body).toMatchObject({ output: [{ content: [{ text: "Hello" }] }] });
    expect(responses.fold(events)).toEqual(first);
  });

  it("ends with the response of its last event", () => {
    const response = { ...started, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const folded = foldStream(responses, [created, { type: "response.incomplete", response }]);
    expect(folded).toEqual({ body: response, error: null, isEnded: true });
    expect(responses.readAnswer(response).stopReason).toBe("max_output_tokens");
  });

  it("keeps the items if the last event has none", () => {
    const response = { ...started, status: "completed" };
    const { body } = foldStream(responses, [
      created,
      added(0, message),
      textDelta("Hi"),
      { type: "response.completed", response },
    ]);
    expect(responses.readAnswer(body!)).toMatchObject({
      parts: [{ kind: "text", text: "Hi" }],
      stopReason: "completed",
    });
  });

  it("that fails has an error in the format of an error response", () => {
    const error = { code: "rate_limit_exceeded", message: "Slow down." };
    const body = { error: { ...error, type: "rate_limit_error", param: null } };
    const failed = { type: "response.failed", response: { ...started, status: "failed", error } };
    expect(foldStream(responses, [created, failed])).toMatchObject({ error: body, isEnded: true });
    const events = [
      { type: "error", ...error, param: null, sequence_number: 1 },
      { type: "error", error },
    ];
    for (const event of events) {
      const folded = foldStream(responses, [created, added(0, message), textDelta("Hel"), event]);
      expect(folded).toMatchObject({ error: body, isEnded: false });
      expect(responses.readAnswer(folded.body!).parts).toMatchObject([{ text: "Hel" }]);
    }
    expect(responses.statusOf(body)).toBe(429);
  });

  it.each([
    ["server_error", 500],
    ["vector_store_timeout", 500],
    ["invalid_prompt", 400],
    [null, 500],
  ])("that fails with the code %s has status %i", (code, status) => {
    const { error } = foldStream(responses, [{ type: "error", code, message: "No.", param: null }]);
    expect(responses.statusOf(error!)).toBe(status);
  });
});

describe("an answer of Responses", () => {
  const id = arbitraryText;
  const status = fc.constant("completed");
  const annotation = { type: "url_citation", url: "https://example.com/", title: "Report" };
  const part = fc.oneof(
    fc.record({
      type: fc.constant("output_text"),
      text: arbitraryText,
      annotations: fc.constantFrom([], [annotation], [annotation, annotation]),
      logprobs: fc.constant([]),
    }),
    fc.record({ type: fc.constant("refusal"), refusal: arbitraryText }),
  );
  const item = fc.oneof(
    fc.record({
      type: fc.constant("message"),
      id,
      status,
      role: fc.constant("assistant"),
      content: fc.array(part, { maxLength: 3 }),
    }),
    fc.record(
      {
        type: fc.constant("reasoning"),
        id,
        summary: fc.array(fc.record({ type: fc.constant("summary_text"), text: arbitraryText }), { maxLength: 2 }),
        content: fc.array(fc.record({ type: fc.constant("reasoning_text"), text: arbitraryText }), { maxLength: 2 }),
        encrypted_content: arbitraryText,
      },
      { requiredKeys: ["type", "id", "summary"] },
    ),
    fc.record({ type: fc.constant("function_call"), id, status, call_id: id, name: id, arguments: arbitraryText }),
    fc.record({ type: fc.constant("custom_tool_call"), id, status, call_id: id, name: id, input: arbitraryText }),
    fc.record({ type: fc.constant("mcp_call"), id, status, name: id, arguments: arbitraryText, output: arbitraryText }),
    fc.record({ type: fc.constant("code_interpreter_call"), id, status, code: arbitraryText }),
    fc.record({ type: fc.constant("web_search_call"), id, status, action: fc.record({ query: arbitraryText }) }),
  );
  const response = fc.record({
    id: fc.constant("resp_1"),
    object: fc.constant("response"),
    status: fc.constantFrom("completed", "incomplete"),
    error: fc.constant(null),
    model: arbitraryText,
    output: fc.array(item, { maxLength: 4 }),
    usage: fc.record({ total_tokens: fc.nat() }),
  });

  itStreams(responses, response);

  it("sent as a stream has all of its output in the events before the last", () => {
    fc.assert(
      fc.property(response, (body) => {
        const { events } = responses.unfold(body);
        const folded = responses.fold(eventsOf(events.slice(0, -1).join("")));
        expect(folded).toMatchObject({ isEnded: false, body: { output: body.output, usage: null } });
        // Without the items' last states, only their status is missing.
        const pieces = events.filter(
          (event) => !/^event: response\.(output_item|content_part|reasoning_summary_part)\.done/.test(event),
        );
        const parts = (text: string) => responses.readAnswer(responses.fold(eventsOf(text)).body!).parts;
        const isComplete = expect.anything();
        expect(parts(pieces.slice(0, -1).join(""))).toMatchObject(
          responses
            .readAnswer(body)
            .parts.map((each) =>
              each.kind === "tool"
                ? { ...each, isComplete }
                : { ...each, ...(each.kind === "thinking" && { isRedacted: isComplete }) },
            ),
        );
      }),
    );
  });

  it("sent as a stream has the events, names and sequence numbers of the protocol", () => {
    const body = {
      ...started,
      status: "completed",
      output: [
        {
          ...message,
          id: "msg_1",
          status: "completed",
          content: [{ type: "output_text", text: "Hi", annotations: [] }],
        },
      ],
    };
    const events = eventsOf(responses.unfold(body).events.join(""));
    expect(events.map(({ event }) => event)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map(({ json }) => json?.type)).toEqual(events.map(({ event }) => event));
    expect(events.map(({ json }) => json?.sequence_number)).toEqual([...events.keys()]);
    expect(events[4]!.json).toMatchObject({ item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hi" });
  });

  it("is announced piece by piece", () => {
    expect(responses.readDeltas(textDelta("Hi"))).toEqual([{ kind: "text", text: "Hi" }]);
    expect(responses.readDeltas({ type: "response.reasoning_text.delta", delta: "Hm" })).toEqual([
      { kind: "thinking", text: "Hm" },
    ]);
    expect(responses.readDeltas(added(0, call("call_1")))).toEqual([{ kind: "tool", text: "", name: "weather" }]);
    expect(responses.readDeltas(argumentsDelta(0, "{"))).toEqual([{ kind: "tool", text: "{" }]);
    expect(responses.readDeltas({ type: "error", message: "No." })).toMatchObject([{ kind: "error" }]);
    expect(responses.readDeltas(added(0, message))).toEqual([]);
  });

  it("lists calls that the client answers apart from those that OpenAI runs", () => {
    const body = {
      ...started,
      status: "completed",
      output: [
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "rain" } },
        { type: "mcp_call", id: "mcp_1", name: "ask", arguments: "{}", output: "Rain." },
        { type: "mcp_approval_request", id: "mcpr_1", name: "pay", arguments: "{}" },
        { type: "computer_call", call_id: "call_3", action: { type: "click" } },
        { type: "reasoning", summary: [], encrypted_content: "x" },
      ],
    };
    const { parts, ids } = responses.readAnswer(body);
    expect(ids).toEqual(["resp_1", "mcpr_1", "call_3"]);
    expect(parts).toEqual([
      { kind: "tool", name: "web_search", input: '{"type":"search","query":"rain"}', isServer: true, isComplete: true },
      { kind: "tool", name: "ask", input: "{}", isServer: true, isComplete: true },
      { kind: "result", name: "mcp_call", content: "Rain." },
      { kind: "tool", name: "pay", input: "{}", isServer: true, isComplete: true },
      { kind: "tool", name: "computer", input: '{"type":"click"}', isServer: false, isComplete: true },
      { kind: "thinking", text: "", isRedacted: true },
    ]);
  });
});

describe("a request to Responses", () => {
  const ask = (body: Record<string, unknown>) =>
    responses.readQuestion({ method: "POST", path: "/v1/responses", query: "", body });

  it("may have a string as its input", () => {
    const question = { prompt: "Hi", model: "gpt", assistantTurns: 0, answeredIds: [] };
    expect(ask({ model: "gpt", stream: true, input: "Hi" })).toEqual(question);
  });

  it("counts each run of items that the model wrote as one answer", () => {
    const input = [
      { role: "user", content: "Weather?" },
      { type: "reasoning", summary: [] },
      { type: "function_call", call_id: "call_1" },
      { type: "function_call", call_id: "call_2" },
      { type: "function_call_output", call_id: "call_1", output: "Rain" },
      { type: "function_call_output", call_id: "call_2", output: "Sun" },
      { role: "assistant", content: "Rain." },
      { role: "user", content: [{ type: "input_text", text: "And now?" }] },
      { type: "function_call", call_id: "call_3" },
      { type: "function_call_output", call_id: "call_3", output: "Fog" },
    ];
    expect(ask({ input })).toMatchObject({ prompt: "And now?", assistantTurns: 3, answeredIds: ["call_3"] });
    expect(ask({ input: input.slice(0, 6) })).toMatchObject({ assistantTurns: 1, answeredIds: ["call_1", "call_2"] });
    expect(ask({ input: input.slice(0, 8) })).toMatchObject({ assistantTurns: 2, answeredIds: [] });
  });

  it("continues a response by the ids of its calls and approvals, else by its own id", () => {
    expect(ask({ previous_response_id: "resp_1", input: "And now?" }).answeredIds).toEqual(["resp_1"]);
    const input = [{ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true }];
    expect(ask({ previous_response_id: "resp_1", input }).answeredIds).toEqual(["mcpr_1"]);
  });
});
