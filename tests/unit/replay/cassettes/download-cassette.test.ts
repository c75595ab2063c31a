import { expect, it } from "vitest";
import { withEnvironment } from "#lib/platform/config";
import { downloadCassette } from "#lib/replay/cassettes/index";
import { catalogueOf } from "#tests/support/sample-cassette";

it("a recorded cassette's request is only shared if the operator says so, and its response always", async () => {
  const catalogue = catalogueOf([{ id: "legal/a" }]);
  const params = { vertical: "legal", cookbook: "a" };
  const file = () => downloadCassette({ catalogue }, { params, query: {} });
  await expect(file()).rejects.toMatchObject({ code: "forbidden" });
  const { bytes } = await withEnvironment({ CASSETTE_DOWNLOADS: "all" }, file);
  expect(Buffer.from(bytes).toString()).toContain('"request"');
  const body = await downloadCassette({ catalogue }, { params, query: { part: "body" } });
  expect(Buffer.from(body.bytes).toString()).toContain("Hello there.");
  await expect(
    downloadCassette({ catalogue }, { params: { ...params, cookbook: "b" }, query: {} }),
  ).rejects.toMatchObject({ code: "not_found" });
});
