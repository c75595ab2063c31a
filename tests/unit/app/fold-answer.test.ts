import { describe, expect, it } from "vitest";
import { anthropic } from "#lib/replay/providers/index";
import { describeEnd, foldAnswer } from "../../../app/_components/player/fold-answer";

const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, given: object) => ({ type: "content_block_delta", index, delta: given });
const stop = (index: number) => ({ type: "content_block_stop", index });
const fold = (given: object[], count = given.length) => {
  const events = [{ type: "message_start", message: { content: [] } }, ...given].map((json) => {
    return { event: "message", data: JSON.stringify(json), json: json as Record<string, unknown> };
  });
  return foldAnswer(anthropic, events, count + 1);
};

const cited = [
  start(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "Profit rose.\n\n" }),
  delta(0, {
    type: "citations_delta",
    citation: { cited_text: "25.2", document_title: "Report", start_page_number: 61, end_page_number: 62 },
  }),
  stop(0),
  start(1, { type: "text", text: "" }),
  delta(1, { type: "text_delta", text: "So did stock\uE0009\uE001." }),
];

it("the end of an answer is an error, a cut, or the last of its chunks", () => {
  const error = { kind: "error", key: "error", type: "overloaded_error", message: "" } as const;
  expect([describeEnd([error], 9, true), describeEnd([], 1, true), describeEnd([], 61, false)]).toEqual([
    "Ended with overloaded_error",
    "Cut off, 1 chunk",
    "Finished, 61 chunks",
  ]);
});

describe("an answer built from events", () => {
  it("joins text blocks into one markdown text with citation marks", () => {
    expect(fold(cited)).toEqual([
      {
        kind: "text",
        key: "part-0",
        markdown: "Profit rose.\uE0001\uE001\n\nSo did stock9.",
        citations: [{ number: 1, quote: "25.2", source: "Report, page 61", url: null }],
      },
    ]);
  });

  it("contains only what the first events have", () => {
    expect(fold(cited, 2)).toMatchObject([{ markdown: "Profit rose.\n\n", citations: [] }]);
    expect(fold(cited, 0)).toEqual([]);
  });

  it("shows a tool's input as it streams in, and indented once it is complete", () => {
    const events = [
      start(0, { type: "tool_use", name: "look", input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"a":' }),
      delta(0, { type: "input_json_delta", partial_json: "1}" }),
      stop(0),
    ];
    expect(fold(events, 2)).toMatchObject([{ kind: "tool", name: "look", input: '{"a":', isComplete: false }]);
    expect(fold(events)).toMatchObject([{ input: '{\n  "a": 1\n}', isComplete: true }]);
  });

  it("has separate parts for thinking, results, errors and the end", () => {
    const events = [
      start(0, { type: "thinking", thinking: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm." }),
      stop(0),
      start(1, { type: "web_search_tool_result", content: [{ title: "A", url: "https://a.example" }] }),
      {
        type: "message_delta",
        delta: { stop_reason: "refusal", stop_details: { explanation: "No." } },
        usage: { output_tokens: 7 },
      },
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ];
    expect(fold(events)).toMatchObject([
      { kind: "thinking", text: "Hm.", isRedacted: false },
      { kind: "result", name: "web_search_tool_result" },
      { kind: "end", reason: "refusal", explanation: "No.", outputTokens: 7 },
      { kind: "error", type: "overloaded_error", message: "Overloaded" },
    ]);
  });

  it("tolerates events of any shape", () => {
    const number = delta(3, { type: "text_delta", text: 5 });
    const odd = [{}, number, start(0, { type: "future" }), stop(9), { type: "error" }];
    expect(fold(odd).map(({ kind }) => kind)).toEqual(["result", "error"]);
  });
});
