import { expect, it } from "vitest";
import { cassettesOfSite, listCassettes, selectCassettes } from "#lib/replay/cassettes/index";
import { listCassettesTool } from "#lib/replay/playback/index";
import { callTool } from "#tests/support/call-tool";
import { catalogueOf, type SampleDraft } from "#tests/support/sample-cassette";

const site = { slug: "legal", vertical: "legal" } as const;
const contextOf = (drafts: readonly SampleDraft[]) => {
  return { catalogue: catalogueOf(drafts), nearestCassettes: async () => [], origin: "http://tapes.example", site };
};
const selected = async (drafts: readonly SampleDraft[], vertical: string) => {
  const found = await selectCassettes(contextOf(drafts), { vertical });
  return found.map(({ id }) => id);
};
const listed = async (drafts: readonly SampleDraft[]) => {
  const catalogue = catalogueOf(drafts);
  const found = await cassettesOfSite({ catalogue, site });
  return found.map(({ id }) => id);
};

it("an entry of such a store names its own folder", async () => {
  const context = { catalogue: catalogueOf([{ id: "tools/look" }]), origin: "http://tapes.example" };
  const { cassettes } = await listCassettes({ ...context, site }, { query: {} });
  expect(cassettes.map(({ vertical, slug, replay_url }) => [vertical, slug, replay_url])).toEqual([
    ["tools", "look", "http://tapes.example/api/v1/replay/tools/look"],
  ]);
});

it("a store without verticals is listed whole, and any other by the site's vertical", async () => {
  const own = [{ id: "books-a-trip/001" }, { id: "tools/look" }];
  expect(await listed(own)).toEqual(["books-a-trip/001", "tools/look"]);
  expect(await listed([...own, { id: "legal/nda" }])).toEqual(["legal/nda"]);
  expect(await listed([...own, { id: "finance/invoice" }])).toEqual([]);
});

it("another folder is listed by its name and with `all`, whatever else the store has", async () => {
  const own = [{ id: "books-a-trip/001" }, { id: "tools/look" }];
  const mixed = [...own, { id: "legal/nda" }, { id: "finance/invoice" }];
  for (const store of [own, mixed]) {
    expect(await selected(store, "all")).toEqual(store.map(({ id }) => id).sort());
    expect(await selected(store, "tools")).toEqual(["tools/look"]);
    const { cassettes } = await callTool(listCassettesTool, contextOf(store), { vertical: "tools" });
    expect(cassettes.map(({ id }) => id)).toEqual(["tools/look"]);
    await expect(selected(store, "tool")).rejects.toMatchObject({
      code: "bad_request",
      message:
        "vertical: must be legal, finance, small-business, developer-tools, all, or another folder that has cassettes.",
    });
  }
  expect(await selected(mixed, "small-business")).toEqual([]);
});
