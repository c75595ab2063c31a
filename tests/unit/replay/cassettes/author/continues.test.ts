import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { authorCassette } from "#lib/replay/cassettes/author/index";
import type { Cassette } from "#lib/replay/cassettes/format";
import { hashForMatch, joinParent, objectOf } from "#lib/replay/cassettes/request";
import { requireProvider } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;

const head = {
  title: "An example",
  subtitle: "For the tests (authored)",
  seed: 7,
  authored_at: "2026-11-01T00:00:00Z",
  pace: { first_token_ms: 500 },
};
const callOf = (id: string) => ({ type: "tool_use", name: "look_up", input: { id }, id: `toolu_authored_${id}` });
const first = {
  ...head,
  request: {
    max_tokens: 900,
    stream: true,
    tools: [{ name: "look_up" }],
    messages: [{ role: "user", content: "Well?" }],
  },
  blocks: [{ type: "text", text: "Both." }, callOf("a"), callOf("b")],
  ending: { stop_reason: "tool_use" },
};
const second = {
  ...head,
  continues: "shop/one",
  results: ["Result a", { count: 2 }],
  blocks: [callOf("c")],
  ending: { stop_reason: "tool_use" },
};
const third = {
  ...head,
  continues: "shop/two",
  results: ["Result c"],
  request: { messages: [{ role: "user", content: "And a total, please." }] },
  blocks: [{ type: "text", text: "Done." }],
  ending: { stop_reason: "end_turn" },
};
const scripts: Record<string, Json> = { "shop/one": first, "shop/two": second, "shop/three": third };

function build(id: string, changed: Record<string, Json> = {}): Cassette {
  const readScript = (other: string) => stringify({ ...scripts, ...changed }[other]);
  return authorCassette(readScript(id), id, readScript);
}

describe("a script that continues another one", () => {
  it("has the complete request of a client that appended the answer and the results", () => {
    const bodies = ["shop/one", "shop/two", "shop/three"].map((id) => build(id).request);
    const [one, two, three] = bodies as [Cassette["request"], Cassette["request"], Cassette["request"]];
    const complete = joinParent(two, objectOf(one.body));
    expect(complete).toEqual({
      model: "tapedeck-authored",
      ...first.request,
      messages: [
        ...first.request.messages,
        {
          role: "assistant",
          content: [
            { type: "text", text: "Both." },
            { ...callOf("a"), caller: { type: "direct" } },
            { ...callOf("b"), caller: { type: "direct" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_authored_a", content: "Result a" },
            { type: "tool_result", tool_use_id: "toolu_authored_b", content: '{"count":2}' },
          ],
        },
      ],
    });
    expect(two.parent).toMatchObject({ id: "shop/one", field: "/messages", omitted: 1, answers: 1 });
    expect(objectOf(two.body)?.messages).toHaveLength(2);
    const last = joinParent(three, complete) as { messages: Json[] };
    expect(last.messages.at(-1)).toEqual({ role: "user", content: "And a total, please." });
    expect(three.parent).toMatchObject({ id: "shop/two", omitted: 3, answers: 2 });
    const provider = requireProvider("anthropic");
    const request = { ...three, body: { json: last }, parent: undefined };
    expect(three.parent?.match_sha256).toBe(hashForMatch(provider, request));
  });

  const invalid = (changes: Json) => ({ "shop/two": { ...second, ...changes } });
  it.each<[string, Record<string, Json>, RegExp]>([
    ["too few results", invalid({ results: ["a"] }), /^shop\/two: results: has 1 items, but shop\/one calls 2 tools/],
    ["no results", invalid({ results: undefined }), /results: has 0 items/],
    [
      "another provider",
      invalid({ provider: "ollama" }),
      /provider: is ollama, but shop\/one is a cassette of anthropic/,
    ],
    ["itself", invalid({ continues: "shop/two" }), /continues: leads back over more than 50 turns/],
    ["an invalid turn before", { "shop/one": { ...first, blocks: [] } }, /^shop\/one: blocks: /],
    ["no id", invalid({ continues: "Shop" }), /continues: must be <folder>/],
  ])("is rejected if it has %s", (_name, changed, message) => {
    expect(() => build("shop/two", changed)).toThrow(message);
  });
});
