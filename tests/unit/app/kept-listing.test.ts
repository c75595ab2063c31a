import { expect, it, vi } from "vitest";
import { bindings } from "#app/bindings/replay";
import { sites } from "#lib/contract/sites";
import * as cassettes from "#lib/replay/cassettes/index";
import type { Reply } from "#lib/server/http/reply";
import { catalogueOf } from "#tests/support/sample-cassette";

vi.mock("#lib/replay/cassettes/index", async (importOriginal) => {
  const original = await importOriginal<typeof cassettes>();
  return { ...original, catalogue: vi.fn(), listCassettes: vi.fn(original.listCassettes) };
});
const writtenCount = () => vi.mocked(cassettes.listCassettes).mock.calls.length;

async function list(query: object): Promise<string[]> {
  const [binding] = bindings.filter(({ endpoint }) => endpoint.id === "listCassettes");
  const context = { origin: "https://tapes.example", site: sites[0] };
  const reply = (await binding?.verb(context as never, { query } as never)) as Reply;
  const { body } = reply;
  const listing = JSON.parse(body.kind === "text" ? String(body.text) : "");
  return listing.cassettes.map(({ cassette_path: path }: { cassette_path: string }) => path);
}

it("the listing is written once for each filter, until the cassettes change", async () => {
  vi.mocked(cassettes.catalogue).mockReturnValue(catalogueOf([{ id: "legal/nda" }, { id: "finance/invoice" }]));
  for (let times = 0; times < 2; times += 1) {
    expect(await list({ vertical: "all" })).toEqual(["finance/invoice.json", "legal/nda.json"]);
    expect(await list({ vertical: "finance" })).toEqual(["finance/invoice.json"]);
  }
  expect(writtenCount()).toBe(2);
  vi.mocked(cassettes.catalogue).mockReturnValue(catalogueOf([{ id: "legal/nda" }]));
  expect(await list({ vertical: "all" })).toEqual(["legal/nda.json"]);
});
