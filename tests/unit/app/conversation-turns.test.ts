import { expect, it } from "vitest";
import { catalogue } from "#lib/replay/cassettes/index";

it("the turns of a conversation are the same from each of them, and a single cassette has only itself", async () => {
  const index = await catalogue().matchIndex();
  const idsFrom = (id: string) => index.conversation(id).map((turn) => turn.id);
  const ids = ["finance/receipt-matching", "finance/receipt-matching-2", "finance/receipt-matching-3"];
  for (const id of ids) expect(idsFrom(id)).toEqual(ids);
  expect(idsFrom("legal/nda-review")).toEqual(["legal/nda-review"]);
});
