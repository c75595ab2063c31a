import { describe, expect, it } from "vitest";
import { anthropic, requireProvider } from "#lib/replay/providers/index";
import { choose, matchedSummary } from "#tests/support/choose-recording";
import type { Json } from "#tests/support/conversation-protocols";

const recorded = (id: string, body: Json, others = {}) => matchedSummary(anthropic, { id, body, ...others });

const user = (content: unknown) => ({ role: "user", content });
const call = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
});
const result = (text: string, ...ids: string[]) =>
  user(ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: text })));
const ask = (...messages: Json[]) => ({ model: "m-1", max_tokens: 9, messages });

const first = ask(user("What is in stock?"));
const second = ask(user("What is in stock?"), call("toolu_1"), result("7", "toolu_1"));
const third = ask(...(second.messages as Json[]), { role: "assistant", content: "Seven." }, user("Order more."));
const loop = [
  recorded("shop/stock", first),
  recorded("shop/stock-2", second, { parentId: "shop/stock" }),
  recorded("shop/stock-3", third, { parentId: "shop/stock-2" }),
];

describe("a name that no cassette has", () => {
  const stored = [...loop, recorded("legal/nda-review", first), recorded("legal/nda-clauses", first)];

  it.each([
    ["shop/stok", "Nearest: shop/stock, shop/stock-2, shop/stock-3."],
    ["legal/nda-reviw", "Nearest: legal/nda-review, legal/nda-clauses."],
    ["shpo/stock", "Nearest: shop/stock, shop/stock-2, shop/stock-3."],
    [
      "none",
      "An id is <folder>/<slug>. GET /api/v1/cassettes?vertical=all and the MCP tool list_cassettes list the ids.",
    ],
    ["leagl/nda-review", "Nearest: legal/nda-review, "],
    ["legal/zoning", "An id is <folder>/<slug>"],
    ["nda-review", "Nearest: legal/nda-review."],
    ["", "An id is <folder>/<slug>"],
    [" Shop/Stock", "Did you mean cassette:shop/stock?"],
    ["cassette:shop/stock", "Did you mean cassette:shop/stock?"],
  ])("%j is answered with the nearest ones of its folder, or else of all", async (name, advice) => {
    await expect(choose(anthropic, stored, { body: first, name })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining(`model: there is no cassette "${name}". ${advice}`),
    });
  });
});

describe("a request after the last turn of a named cassette", () => {
  const after = ask(...(third.messages as Json[]), { role: "assistant", content: "Done." }, user("And now?"));
  const single = [recorded("shop/hello", first)];

  it.each([
    ["a conversation", loop, "shop/stock", after, "shop/stock-3"],
    ["a single answer", single, "shop/hello", third, "shop/hello"],
  ])("of %s says how to add one, and can have the last one again", async (_, stored, name, body, last) => {
    await expect(choose(anthropic, stored, { body, name })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(
        `Author the next turn in a script with continues: ${last} .*, or send x-replay-after-end: repeat`,
      ),
    });
    expect(await choose(anthropic, stored, { body, name, repeatsEnd: true })).toEqual({ id: last, match: "repeat" });
  });

  it("has the last one again also if it names the answer by its id alone", async () => {
    const responses = requireProvider("openai-responses");
    const stored = [
      matchedSummary(responses, { id: "shop/hello", body: { model: "m", input: "Hi" } }),
      matchedSummary(responses, { id: "shop/bye", body: { model: "m", input: "Bye" }, parentId: "shop/hello" }),
    ];
    const body = { model: "m", input: "And?", previous_response_id: "resp_1" };
    const named = { body, name: "shop/hello" };
    await expect(choose(responses, stored, named)).rejects.toThrow(/continues resp_1\. Author the next turn/);
    expect(await choose(responses, stored, { ...named, repeatsEnd: true })).toMatchObject({ match: "repeat" });
  });

  it("is no turn that is missing before the last one", async () => {
    const gap = [recorded("shop/stock", first), recorded("shop/later", after, { parentId: "shop/stock" })];
    const asked = { body: third, name: "shop/stock", repeatsEnd: true };
    await expect(choose(anthropic, gap, asked)).rejects.toThrow(/This one has 2\.$/);
  });
});

describe("a request without a name", () => {
  it("plays exactly the same request in any folder, for the same model, and lists its repeats in order", async () => {
    const repeats = [...loop, recorded("a/again", first, { sequence: 2 })];
    expect(await choose(anthropic, repeats, { body: first })).toEqual({
      id: "shop/stock",
      match: "exact",
      repeats: ["shop/stock", "a/again"],
    });
    await expect(choose(anthropic, loop, { body: { ...first, model: "m-2" } })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("No recording fits this request. shop/stock is the same for model m-1. Name"),
    });
    const { provenance } = recorded("a/written", first);
    const authored = [recorded("a/written", first, { provenance: { ...provenance, kind: "authored" } })];
    expect(await choose(anthropic, authored, { body: { ...first, model: "m-2" } })).toMatchObject({ id: "a/written" });
  });

  it.each(["shop/stock", "Shop/Stock", "Cassette:shop/stock", "CASSETTE: Shop/Stock "])(
    "whose model %j is nearly a name gets the name",
    async (model) => {
      const body = { ...ask(user("Hm?")), model };
      await expect(choose(anthropic, loop, { body })).rejects.toThrow(/ Did you mean cassette:shop\/stock\? /);
    },
  );

  it("gets a whole answer before one that was cut, and the newest of these", async () => {
    const at = (recorded_at: string) => ({ provenance: { kind: "recorded", recorded_at } });
    const stored = [
      recorded("a/cut", first, { end: "truncated", ...at("2026-03-03") }),
      recorded("a/older", first, at("2026-02-01")),
      recorded("b/newer", first, at("2026-02-02")),
    ];
    expect(await choose(anthropic, stored, { body: first })).toMatchObject({
      id: "b/newer",
      // A test gets them in the order in which they were recorded.
      repeats: ["a/older", "b/newer", "a/cut"],
    });
  });

  it("gets the nearest prompt of the site only for a first turn, and only if it is similar enough", async () => {
    const near: [string, number][] = [
      ["legal/a", 0.61],
      ["legal/b", 0.3],
    ];
    expect(await choose(anthropic, loop, { body: ask(user("Hm?")), near })).toMatchObject({
      id: "legal/a",
      match: "nearest",
    });
    const later = ask(user("Hm?"), { role: "assistant", content: "Yes." }, user("And?"));
    await expect(choose(anthropic, loop, { body: later, near })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("Nearest: legal/a, legal/b."),
    });
    await expect(choose(anthropic, loop, { body: ask(user("Hm?")), near: [["legal/a", 0.59]] })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
