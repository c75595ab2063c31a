import { expect, it } from "vitest";
import type { RepeatedCall } from "#lib/cli/answers/repeat-requests";
import { findDrift } from "#lib/cli/drift/find-drift";
import { requireProvider } from "#lib/replay/providers/index";
import { type Json, protocols } from "#tests/support/conversation-protocols";

const { anthropic } = protocols;
type Change = (answer: Json & { content: Json[]; usage: Json }) => void;

const answerOf = (change: Change = () => undefined, calls: { id: string; name: string; input: Json }[] = []) => {
  const answer = anthropic.answerOf({ text: calls.length > 0 ? "" : "Sunscreen.", calls }, "a1");
  change(answer as Parameters<Change>[0]);
  return answer;
};
const bytesOf = (answer: Json) => [{ deltaMs: 0, bytes: Buffer.from(JSON.stringify(answer)) }];
const headers = { "content-type": "application/json" };

/** Returns a request that was answered so before, and is answered so now. */
function call(before: Json, after: Json, file = "001.cassette.json"): RepeatedCall {
  const provider = requireProvider("anthropic");
  const cassette = { provider: "anthropic", response: { status: 200, headers } };
  return {
    ...{ test: "packs", file, group: "anthropic m" },
    exchange: { provider } as RepeatedCall["exchange"],
    recorded: { cassette, chunks: bytesOf(before) } as never as RepeatedCall["recorded"],
    repeated: { kind: "answered", status: 200, headers, chunks: bytesOf(after), error: null },
  };
}

const rows = (...calls: RepeatedCall[]) =>
  findDrift(calls).map(({ severity, what, place, change }) => `${severity} ${what} ${place} ${change}`);
const tool = (input: Json) => answerOf(undefined, [{ id: "toolu_1", name: "get_forecast", input }]);

it("a text instead of a call is a reason to stop, and no field that is gone", () => {
  expect(rows(call(tool({ city: "Lisbon" }), answerOf()))).toEqual(["warning stop reason end_turn was tool_use"]);
});

it("what a tool is called with is up to the model", () => {
  expect(rows(call(tool({ city: "Lisbon", days: [1] }), tool({ city: 7, unit: { name: "C" } })))).toEqual([]);
  const renamed = answerOf(
    ({ content }) => {
      content[0] = { type: "tool_use", id: "toolu_1", tool: "get_forecast", input: { city: 7 } };
    },
    [{ id: "toolu_1", name: "get_forecast", input: {} }],
  );
  expect(rows(call(tool({ city: "Lisbon" }), renamed))).toContain(
    "breaking field message/content/*<tool_use>/name is gone",
  );
});

it("a field that only some recorded answers have may be missing, one that all have may not", () => {
  const withTier = answerOf(({ usage }) => Object.assign(usage, { service_tier: "standard" }));
  expect(rows(call(withTier, answerOf()), call(answerOf(), answerOf()))).toEqual([]);
  expect(rows(call(withTier, answerOf()), call(withTier, withTier))).toEqual([]);
  expect(rows(call(withTier, answerOf()), call(withTier, answerOf()))).toEqual([
    "breaking field message/usage/service_tier is gone",
  ]);
});

it("an answer whose text has another name is compared although it has no part that can be read", () => {
  const renamed = answerOf((answer) => {
    answer.parts = answer.content;
    delete (answer as Json).content;
  });
  // What is in a field that is new goes without saying.
  expect(rows(call(answerOf(), renamed))).toEqual([
    "breaking field message/content is gone",
    "info field message/parts is new",
  ]);
});

it("null in place of a value is a warning, and of another type breaking", () => {
  const withUsage = (count: unknown) => answerOf(({ usage }) => Object.assign(usage, { input_tokens: count }));
  expect(rows(call(answerOf(), withUsage(null)))).toEqual([
    "warning type message/usage/input_tokens was number and is null",
  ]);
  expect(rows(call(answerOf(), withUsage(["1"])))[0]).toBe(
    "breaking type message/usage/input_tokens was number and is array",
  );
});

it("names each recording that shows a difference once", () => {
  const gone = answerOf((answer) => delete (answer as Json).stop_sequence);
  const [drift] = findDrift([call(answerOf(), gone), call(answerOf(), gone, "002.cassette.json")]);
  expect(drift?.recordings.map(({ file }) => file)).toEqual(["001.cassette.json", "002.cassette.json"]);
});

it("an object with a type that is gone is a field that is gone, also in a stream", () => {
  const streamOf = (name: string) => {
    const { events } = anthropic.provider.unfold(answerOf());
    return [
      {
        deltaMs: 0,
        bytes: Buffer.from(
          events.join("").replaceAll('"delta":{"type":"text_delta"', `"${name}":{"type":"text_delta"`),
        ),
      },
    ];
  };
  const each = call(answerOf(), answerOf());
  const headers = { "content-type": "text/event-stream" };
  const streamed = {
    ...each,
    recorded: { cassette: { provider: "anthropic", response: { status: 200, headers } }, chunks: streamOf("delta") },
    repeated: { kind: "answered", status: 200, headers, chunks: streamOf("change"), error: null },
  } as never as RepeatedCall;
  expect(rows(streamed)).toEqual([
    "breaking field content_block_delta/delta is gone",
    "info field content_block_delta/change is new",
  ]);
});
