import { expect, it } from "vitest";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import { catalogueOf, type SampleDraft } from "#tests/support/sample-cassette";

const listed = async (drafts: readonly SampleDraft[]) => {
  const catalogue = catalogueOf(drafts);
  const found = await cassettesOfSite({ catalogue, site: { vertical: "legal" } });
  return found.map(({ id }) => id);
};

it("a store without verticals is listed whole, and any other by the site's vertical", async () => {
  const own = [{ id: "books-a-trip/001" }, { id: "tools/look" }];
  expect(await listed(own)).toEqual(["books-a-trip/001", "tools/look"]);
  expect(await listed([...own, { id: "legal/nda" }])).toEqual(["legal/nda"]);
  expect(await listed([...own, { id: "finance/invoice" }])).toEqual([]);
});
