import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEndingModels } from "#lib/cli/audit/run-models";
import { emptyReport } from "#lib/replay/recording-proxy/report";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "tapedeck-run-models-"));
});
afterAll(() => rm(root, { recursive: true }));

async function reportOf(name: string, models: readonly string[]) {
  const folder = join(root, name);
  await mkdir(folder);
  await writeFile(join(folder, "tape.json"), JSON.stringify({ test: name }));
  for (const [index, model] of models.entries()) {
    const request = { method: "POST", path: "/v1/responses", query: "", body: { json: { model } } };
    const recording = { provider: "openai-responses", request, response: { headers: {} }, chunks: [] };
    await writeFile(join(folder, `00${index + 1}.cassette.json`), JSON.stringify(recording));
  }
  return emptyReport(name, folder);
}

it("a run mentions models that have ended or end soon, and nothing else", async () => {
  const now = new Date("2026-11-25T12:00:00Z");
  const old = await reportOf("old", ["o1-mini", "gpt-5", "gpt-5-mini"]);
  const fine = await reportOf("fine", ["gpt-5.6-terra", "my-model"]);
  const none = emptyReport("none", join(root, "none"));
  const broken = await reportOf("broken", []);
  await writeFile(join(root, "broken/001.cassette.json"), "{");
  expect(describeEndingModels([old, old, fine, none, broken], now)).toEqual([
    "  on these tapes: 1 model ended, 2 models ending by 2026-12-11. See tapedeck audit",
  ]);
  expect(describeEndingModels([fine], now)).toEqual([]);
  expect(describeEndingModels([old], new Date("2026-10-01"))).toEqual([
    "  on these tapes: 1 model ended. See tapedeck audit",
  ]);
});
