import { expect, it } from "vitest";
import { catalogue } from "#lib/replay/cassettes/index";
import { turnsOf } from "../../../app/(site)/replay/[vertical]/[slug]/conversation";

it("the turns of a conversation are the same from each of them, and a single cassette has only itself", async () => {
  const index = await catalogue().matchIndex();
  const idsFrom = async (id: string) => {
    const summary = await catalogue().find(id);
    return summary && turnsOf(index, summary).map((turn) => turn.id);
  };
  const ids = ["finance/receipt-matching", "finance/receipt-matching-2", "finance/receipt-matching-3"];
  for (const id of ids) expect(await idsFrom(id)).toEqual(ids);
  expect(await idsFrom("legal/nda-review")).toEqual(["legal/nda-review"]);
});
