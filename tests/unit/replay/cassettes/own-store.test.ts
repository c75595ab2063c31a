import { expect, it } from "vitest";
import { cassettesOfSite, listCassettes, selectCassettes } from "#lib/replay/cassettes/index";
import { catalogueOf, type SampleDraft } from "#tests/support/sample-cassette";

const site = { slug: "legal", vertical: "legal" } as const;
const selected = async (drafts: readonly SampleDraft[]) => {
  const found = await selectCassettes({ catalogue: catalogueOf(drafts), site }, { vertical: "all" });
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

it("`all` is every vertical, or all of a store without verticals", async () => {
  const own = [{ id: "books-a-trip/001" }, { id: "tools/look" }];
  expect(await selected(own)).toEqual(["books-a-trip/001", "tools/look"]);
  expect(await selected([...own, { id: "legal/nda" }, { id: "finance/invoice" }])).toEqual([
    "finance/invoice",
    "legal/nda",
  ]);
});
