import { expect, it } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { sites } from "#lib/contract/sites";
import { catalogue } from "#lib/replay/cassettes/index";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";
import { describeShare } from "../../../app/og/[[...path]]/share-card";

const at = (day: number) => new Date(Date.UTC(2026, 10, day));

const database = sharedDatabase();

function describePath(path: string) {
  const clock = { now: () => at(21), monotonicMs: () => 0 };
  const context = { caller: anonymousCaller, catalogue: catalogue(), site: sites[0], database: database.client, clock };
  return describeShare(context, path.split("/"));
}

it("a diff's share image shows its own change on its vendor's timeline", async () => {
  await addVendor(database.client, { slug: "acme", name: "Acme", isPublic: true, at: at(1) });
  const ids: (string | null)[] = [];
  const texts = Array.from({ length: 13 }, (_, version) => "line\n".repeat(version + 1));
  for (const [version, text] of texts.entries())
    ids.push((await addVersion(database.client, "acme", text, at(version + 1))).diffId);
  const dayMs = 86_400_000;
  const newest = await describePath(`vendors/acme/diffs/${ids[12]}`);
  expect(newest).toMatchObject({ title: "Acme: 1 line added", lead: expect.stringMatching(/^2026-11-13: /) });
  expect(newest.ticks).toHaveLength(10);
  expect([newest.needleMs, newest.durationMs]).toEqual([newest.ticks[0]?.atMs, 17 * dayMs]);
  // Older than the changes that the vendor's page shows.
  const oldest = await describePath(`vendors/acme/diffs/${ids[1]}`);
  expect([oldest.needleMs, oldest.durationMs, oldest.ticks.length]).toEqual([0, 19 * dayMs, 11]);
  expect(oldest.lead).toMatch(/^2026-11-02: /);
});

it("a vendor without changes has an empty timeline, and what does not exist has the site's card", async () => {
  await addVendor(database.client, { slug: "waiting", name: "Waiting" });
  expect((await describePath("vendors/waiting")).ticks).toEqual([]);
  const { title } = await describePath("vendors");
  for (const path of ["vendors/nobody", `vendors/waiting/diffs/${crypto.randomUUID()}`, "vendors/waiting/diffs/1"])
    expect([path, (await describePath(path)).title]).toEqual([path, title]);
});
