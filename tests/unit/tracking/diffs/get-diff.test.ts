import { describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { getDiff } from "#lib/tracking/diffs/index";
import { diffAnswerSchema, diffParamsSchema } from "#lib/tracking/diffs/schemas";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));

const database = sharedDatabase();

async function get(id: string) {
  const { params } = { params: diffParamsSchema.parse({ id }) };
  return diffAnswerSchema
    .strict()
    .parse(await getDiff({ caller: anonymousCaller, database: database.client }, { params }));
}
const store = (slug: string, text: string, hour: number) => addVersion(database.client, slug, text, at(hour));

describe("a diff by its id", () => {
  test("has exactly the documented fields, with its links as URIs", async () => {
    await addVendor(database.client, { slug: "acme", status: "unreachable" });
    const first = await store("acme", "a\nb\nhttps://acme.example/{old}\n", 1);
    const second = await store("acme", "a\nc\nd\nhttps://äcme.example/new\n", 2);
    expect(await get(second.diffId as string)).toEqual({
      diff: {
        id: second.diffId,
        vendor_slug: "acme",
        lines_added: 3,
        lines_removed: 2,
        links_added: ["https://xn--cme-pla.example/new"],
        links_removed: ["https://acme.example/%7Bold%7D"],
        created_at: at(2).toISOString(),
      },
      previous_snapshot: { id: first.snapshotId, byte_size: 31, line_count: 3, fetched_at: at(1).toISOString() },
      current_snapshot: { id: second.snapshotId, byte_size: 32, line_count: 4, fetched_at: at(2).toISOString() },
    });
  });

  test("has all its links, even if a list has only the first thousand", async () => {
    await addVendor(database.client, { slug: "linked" });
    await store("linked", "a\n", 1);
    const links = Array.from({ length: 1_200 }, (_, index) => `https://linked.example/${index}`);
    const { diffId } = await store("linked", links.join("\n"), 2);
    expect((await get(diffId as string)).diff.links_added).toEqual(links);
  });
});
