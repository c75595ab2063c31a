import { describe, expect, it } from "vitest";
import { type CassetteSummary, type Catalogue, MatchIndex, matchKeyOf } from "#lib/replay/cassettes/index";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { digestRequest } from "#lib/replay/playback/read-request";
import { anthropic } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;
type Recorded = {
  id: string;
  body: Json;
  parentId?: string;
  sequence?: number;
  kind?: string;
  end?: string;
  day?: string;
};

function summaryOf({ id, body, parentId, sequence = 1, kind = "recorded", end = "complete", day }: Recorded) {
  const { path } = anthropic.upstream.pathOf(body, { model: undefined, isStream: true });
  const match = matchKeyOf(anthropic, { method: "POST", path, query: "", body: { json: body } });
  return {
    id,
    provider: anthropic.name,
    provenance: { kind, recorded_at: `${day ?? "2026-01-01"}T00:00:00Z` },
    end,
    prompt: anthropic.readQuestion({ method: "POST", path, query: "", body }).prompt,
    match,
    vertical: id.split("/")[0],
    lineage: {
      answered: [],
      continued: null,
      hasReferences: false,
      leads: null,
      ids: [],
    } as CassetteSummary["lineage"],
    parentId: parentId ?? null,
    sequence,
    hasRedactions: false,
  } as CassetteSummary;
}

type Asked = { body: Json; near?: [id: string, similarity: number][]; name?: string };

function choose(recorded: readonly Recorded[], { body, near = [], name }: Asked) {
  const index = new MatchIndex(recorded.map(summaryOf));
  const catalogue = { matchIndex: async () => index } as unknown as Catalogue;
  const nearestCassettes = async () =>
    near.map(([id, similarity]) => ({ summary: { id } as CassetteSummary, similarity }));
  const { path } = anthropic.upstream.pathOf(body, { model: undefined, isStream: true });
  return chooseCassette(
    { catalogue, nearestCassettes },
    {
      provider: anthropic,
      request: digestRequest(anthropic, { method: "POST", path, query: "", body }),
      named: name === undefined ? null : { id: name, place: "model" },
    },
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

describe("a name that no cassette has", () => {
  const stored = [...loop, { id: "legal/nda-review", body: first }, { id: "legal/nda-clauses", body: first }];

  it.each([
    ["shop/stok", "Nearest: shop/stock, shop/stock-2, shop/stock-3."],
    ["legal/nda-reviw", "Nearest: legal/nda-review, legal/nda-clauses."],
    // Ids of folders that no site lists are not told to those who do not know the folder.
    [
      "shpo/stock",
      "An id is <folder>/<slug>; GET /api/v1/cassettes lists those of a site, and the MCP tool list_cassettes all.",
    ],
    ["leagl/nda-review", "Nearest: legal/nda-review, "],
    ["legal/zoning", "An id is <folder>/<slug>"],
    ["nda-review", "Nearest: legal/nda-review."],
    ["", "An id is <folder>/<slug>"],
  ])("%j is answered with the nearest ones of its folder, or else of the sites", async (name, advice) => {
    await expect(choose(stored, { body: first, name })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining(`model: there is no cassette "${name}". ${advice}`),
    });
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

  it("gets a whole answer before one that was cut, and the newest of these", async () => {
    const stored: Recorded[] = [
      { id: "a/cut", body: first, end: "truncated", day: "2026-03-03" },
      { id: "a/older", body: first, day: "2026-02-01" },
      { id: "b/newer", body: first, day: "2026-02-02" },
    ];
    expect(await choose(stored, { body: first })).toMatchObject({
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
    expect(await choose(loop, { body: ask(user("Hm?")), near })).toMatchObject({ id: "legal/a", match: "nearest" });
    const later = ask(user("Hm?"), { role: "assistant", content: "Yes." }, user("And?"));
    await expect(choose(loop, { body: later, near })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("Nearest: legal/a, legal/b."),
    });
    await expect(choose(loop, { body: ask(user("Hm?")), near: [["legal/a", 0.59]] })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
