import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, inject, it } from "vitest";
import { verifyKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";
import { addWebhook } from "#tests/support/webhook-receivers";

const folder = temporaryFolder();
beforeAll(async () => {
  await writeFile(join(folder, "models.py"), 'MODELS = ["gpt-4-0314", "openai/gpt-5-mini"]\n');
  const tape = join(folder, "tapes/sends");
  await mkdir(tape, { recursive: true });
  await writeFile(join(tape, "tape.json"), '{"test": "a.test.ts > sends"}');
  const request = { method: "POST", host: "api.openai.com", path: "/v1/responses", query: "", body: { json: {} } };
  const recording = { provider: "openai", request, response: { headers: {} }, chunks: [] };
  await writeFile(join(tape, "001.cassette.json"), JSON.stringify(recording));
});

it("audit --subscribe makes a webhook receive the changes of the models and operations that code and tapes use", async () => {
  const { key } = await issueKey("pro");
  const authorization = `Bearer ${key}`;
  const { id } = await withAppDatabase(async (database) => {
    const caller = await verifyKey({ database, clock: systemClock }, authorization);
    return addWebhook(database, caller, "https://hooks.example/models");
  });
  const subscribe = (subscription: string, environment: Record<string, string> = { TAPEDECK_KEY: key }) => {
    const options = [
      "--tapes",
      join(folder, "tapes"),
      "--code",
      join(folder, "models.py"),
      "--server",
      inject("baseUrl"),
      "--subscribe",
      subscription,
    ];
    return runCommand(["audit", ...options], { environment });
  };
  expect(await subscribe(id)).toMatchObject({ code: 0, stderr: expect.stringContaining(`The webhook ${id} receives`) });
  const response = await fetch(`${inject("baseUrl")}/api/v1/webhooks`, { headers: { authorization } });
  const { webhooks } = await response.json();
  expect(webhooks[0].filters.models.toSorted()).toEqual(["openai/gpt-4-0314", "openai/gpt-5-mini"]);
  expect(webhooks[0].filters.operations).toEqual(["POST api.openai.com/v1/responses"]);
  expect(await subscribe("none")).toMatchObject({ code: 2, stderr: expect.stringContaining(`It has ${id}`) });
  expect(await subscribe(id, {})).toMatchObject({ code: 2, stderr: expect.stringContaining("TAPEDECK_KEY") });
  const unknown = await subscribe(id, { TAPEDECK_KEY: "ltf_unknown" });
  expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining("does not accept the key") });
});
