import { describe, expect, it } from "vitest";
import { type CassetteSummary, type Catalogue, MatchIndex, matchKeyOf } from "#lib/replay/cassettes/index";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { anthropic, type Provider, requireProvider } from "#lib/replay/providers/index";

const openaiResponses = requireProvider("openai-responses");

type Json = Record<string, unknown>;
type Recorded = { id: string; body: Json; provider?: Provider; parentId?: string; sequence?: number; kind?: string };

function summaryOf({ id, body, provider = anthropic, parentId, sequence = 1, kind = "recorded" }: Recorded) {
  const { path } = provider.upstream.pathOf(body, { model: undefined, isStream: true });
  const match = matchKeyOf(provider, { method: "POST", path, query: "", body: { json: body } });
  return {
    id,
    provider: provider.name,
    provenance: { kind },
    match,
    parentId: parentId ?? null,
    sequence,
    hasRedactions: false,
  } as CassetteSummary;
}

type Asked = { body: Json; provider?: Provider; name?: string; near?: [id: string, similarity: number][] };

function choose(recorded: readonly Recorded[], { body, provider = anthropic, name, near = [] }: Asked) {
  const index = new MatchIndex(recorded.map(summaryOf));
  const catalogue = { matchIndex: async () => index } as unknown as Catalogue;
  const nearestCassettes = async () =>
    near.map(([id, similarity]) => ({ summary: { id } as CassetteSummary, similarity }));
  const { path } = provider.upstream.pathOf(body, { model: undefined, isStream: true });
  const named = name === undefined ? null : { id: name, place: "model" };
  return chooseCassette(
    { catalogue, nearestCassettes },
    { provider, request: { method: "POST", path, query: "", body }, named },
  );
}

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
const loop: Recorded[] = [
  { id: "shop/stock", body: first },
  { id: "shop/stock-2", body: second, parentId: "shop/stock" },
  { id: "shop/stock-3", body: third, parentId: "shop/stock-2" },
];

describe("a named conversation", () => {
  const play = (body: Json) => choose(loop, { body, name: "shop/stock" });

  it("plays the turn of exactly the request, whatever the model and the form of the answer", async () => {
    expect(await play({ ...second, model: "cassette:shop/stock", stream: true })).toMatchObject({
      id: "shop/stock-2",
      match: "exact",
    });
  });

  it("else the turn that continues the same tool calls, else the one with as many answers", async () => {
    const lineage = ask(user("What have we got?"), call("toolu_1"), result("8", "toolu_1"));
    expect(await play(lineage)).toMatchObject({ id: "shop/stock-2", match: "lineage" });
    const changedIds = ask(user("What have we got?"), call("call_x"), result("8", "call_x"));
    expect(await play(changedIds)).toMatchObject({ id: "shop/stock-2", match: "turn" });
  });

  it("plays what was named for another first request", async () => {
    expect(await play(ask(user("Hello")))).toMatchObject({ id: "shop/stock", match: "name" });
  });

  it("never repeats a turn: a request beyond the last one is an error that says what is recorded", async () => {
    const longer = ask(...(third.messages as Json[]), { role: "assistant", content: "Done." }, user("Thanks."));
    await expect(play(longer)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/0, 1, 2\..*3\./),
    });
  });

  it("refuses ids that two turns continue, and turns that only their number could tell apart", async () => {
    const twice = [...loop, { id: "shop/other-2", body: { ...second, max_tokens: 8 }, parentId: "shop/stock" }];
    const lineage = ask(user("x"), call("toolu_1"), result("8", "toolu_1"));
    await expect(choose(twice, { body: lineage, name: "shop/stock" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("shop/other-2, shop/stock-2"),
    });
    const turn = ask(user("x"), call("other"), result("8", "other"));
    await expect(choose(twice, { body: turn, name: "shop/stock" })).rejects.toMatchObject({ code: "conflict" });
  });

  it("is matched by the previous response's id alone, and not by the number of turns that it hides", async () => {
    const recorded: Recorded[] = [
      { id: "a/one", provider: openaiResponses, body: { model: "m", input: "Hi" } },
      {
        id: "a/two",
        provider: openaiResponses,
        parentId: "a/one",
        body: { model: "m", input: "And?", previous_response_id: "resp_1" },
      },
    ];
    const send = (id: string) =>
      choose(recorded, {
        provider: openaiResponses,
        name: "a/one",
        body: { model: "m", input: "So?", previous_response_id: id },
      });
    expect(await send("resp_1")).toMatchObject({ id: "a/two", match: "lineage" });
    await expect(send("resp_9")).rejects.toMatchObject({ code: "not_found" });
  });

  it("of another provider is an error that names the path to ask", async () => {
    const body = { model: "cassette:shop/stock", input: "Hi" };
    await expect(choose(loop, { provider: openaiResponses, body, name: "shop/stock" })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("POST /v1/messages"),
    });
  });

  it("a name that is no id, or unknown, is an error", async () => {
    for (const name of ["../etc", "shop", "shop/none", "shop/stock/x"]) {
      await expect(choose(loop, { body: first, name })).rejects.toMatchObject({ code: "not_found" });
    }
  });
});

describe("a request without a name", () => {
  it("plays exactly the same request in any folder, for the same model, and lists its repeats in order", async () => {
    const repeats = [...loop, { id: "a/again", body: first, sequence: 2 }];
    expect(await choose(repeats, { body: first })).toEqual({
      id: "shop/stock",
      match: "exact",
      repeats: ["shop/stock", "a/again"],
    });
    await expect(choose(loop, { body: { ...first, model: "m-2" } })).rejects.toMatchObject({ code: "not_found" });
    const authored = [{ id: "a/written", body: first, kind: "authored" }];
    expect(await choose(authored, { body: { ...first, model: "m-2" } })).toMatchObject({ id: "a/written" });
  });

  it("continues tool calls that only one recording continues", async () => {
    const body = ask(user("x"), call("toolu_1"), result("8", "toolu_1"));
    expect(await choose(loop, { body })).toMatchObject({ id: "shop/stock-2", match: "lineage" });
  });

  it("gets the nearest prompt of the site only for a first turn, and only if it is similar enough", async () => {
    const near: [string, number][] = [
      ["legal/a", 0.61],
      ["legal/b", 0.3],
    ];
    expect(await choose(loop, { body: ask(user("Hm?")), near })).toMatchObject({ id: "legal/a", match: "nearest" });
    const later = ask(user("Hm?"), { role: "assistant", content: "Yes." }, user("And?"));
    await expect(choose(loop, { body: later, near })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("The nearest are legal/a, legal/b."),
    });
    await expect(choose(loop, { body: ask(user("Hm?")), near: [["legal/a", 0.59]] })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
