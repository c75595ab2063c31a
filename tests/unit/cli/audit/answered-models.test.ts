import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { requireProvider } from "#lib/replay/providers/index";
import { readRecordedCalls } from "#lib/replay/recording-proxy/index";
import { runCommand } from "#tests/support/run-cli";
import { provenance } from "#tests/support/sample-cassette";
import { temporaryFolder, writeIn } from "#tests/support/temporary-folder";

const root = temporaryFolder();
const azure = "acme.openai.azure.com";

type Recorded = {
  provider?: string;
  host?: string;
  path: string;
  body?: Record<string, unknown>;
  status?: number;
  type?: string;
  answer: string;
  edited?: string;
};

/** Writes a recording of a test. */
async function record(name: string, given: Recorded, tapes = "tapes"): Promise<void> {
  const { provider = "openai-chat", host = azure, path, body = {}, status = 200, answer, edited } = given;
  const file = sealCassette({
    ...{ id: `tapes/${name}`, title: name, subtitle: "", provider: requireProvider(provider), end: "complete" },
    provenance: { ...provenance, ...(edited && { edited }) },
    request: { method: "POST", host, path, query: "", body: { json: body }, redactions: [] },
    response: { status, headers: { "content-type": given.type ?? "application/json" } },
    chunks: [{ deltaMs: 0, bytes: Buffer.from(answer) }],
  });
  const folder = join(root, tapes, name);
  await writeIn(folder, "tape.json", JSON.stringify({ schema: "tape/1", test: name, exchanges: [] }));
  await writeIn(folder, "001.cassette.json", serializeCassette(file));
}

const chat = (model: string) => JSON.stringify({ object: "chat.completion", model, choices: [] });
const chunk = (model: string) => `data: ${JSON.stringify({ object: "chat.completion.chunk", model, choices: [] })}\n\n`;
const deployment = (name: string) => `/openai/deployments/${name}/chat/completions`;
const missing = JSON.stringify({ error: { message: "The model `x` does not exist", code: "model_not_found" } });
const gemini = { provider: "gemini", host: "generativelanguage.googleapis.com" };

beforeAll(async () => {
  await record("whole", { path: deployment("prod-chat"), answer: chat("gpt-5-mini-2025-08-07") });
  await record("failing", { path: deployment("prod-chat"), status: 429, answer: '{"error":{"message":"Wait"}}' });
  await record("stream", {
    path: deployment("eu"),
    body: { model: "eu", stream: true },
    type: "text/event-stream",
    answer: `${chunk("")}${chunk("gpt-4o-2024-05-13")}data: [DONE]\n\n`,
  });
  await record("tuned", {
    ...gemini,
    path: "/v1beta/models/house:generateContent",
    answer: JSON.stringify({ candidates: [], modelVersion: "gemini-2.0-flash" }),
  });
  await record("embedding", {
    path: "/openai/deployments/embed/embeddings",
    answer: JSON.stringify({ object: "list", data: [], model: "text-embedding-ada-002" }),
  });
  await record("known", { path: deployment("gpt-5"), answer: chat("gpt-4o-2024-05-13") });
  await record("other", { path: deployment("own"), answer: chat("acme-7b") });
  await record("nameless", { path: "/v1/chat/completions", answer: chat("") });
  await record("upload", { provider: "http", path: "/files", answer: "{}" });
});

const audit = async (...args: string[]) =>
  (await runCommand(["audit", "--tapes", join(root, "tapes"), ...args])).stdout;

it("a name that no catalogue knows is that of the model which the answer names", async () => {
  const { models, recordings_without_model: unnamed } = JSON.parse(await audit("--json"));
  const found = models.map(({ id, names, recordings }: { id: string; names: string[]; recordings: number }) => {
    return `${id} ${recordings}: ${names.join()}`;
  });
  expect(found.sort()).toEqual([
    "gemini-2.0-flash 1: house (gemini-2.0-flash)",
    "gpt-4o-2024-05-13 1: eu (gpt-4o-2024-05-13)",
    "gpt-5 1: gpt-5",
    "gpt-5-mini 2: prod-chat (gpt-5-mini-2025-08-07)",
    "null 1: own",
    "text-embedding-ada-002 1: embed (text-embedding-ada-002)",
  ]);
  expect(unnamed).toBe(1);
  expect(await audit()).toMatch(/^\d models have ended, .*\. 1 recording names no model\.\n/);
});

it("code that has such a name uses that model", async () => {
  await writeIn(root, "a.ts", 'const model = "prod-chat";\n');
  const { models } = JSON.parse(await audit("--code", join(root, "a.ts"), "--json"));
  expect(models.find(({ id }: { id: string }) => id === "gpt-5-mini").code).toHaveLength(1);
});

it("says of a folder in which no recording names a model that there are such", async () => {
  const { stdout } = await runCommand(["audit", "--tapes", join(root, "tapes/nameless")]);
  expect(stdout).toBe("No models. 1 recording names no model.\n\n");
});

it("show names both", async () => {
  const show = async (...args: string[]) => {
    return (await runCommand(["show", "--tapes", join(root, "tapes"), ...args])).stdout;
  };
  expect(await show("whole")).toContain("  prod-chat (gpt-5-mini-2025-08-07)  200");
  expect(await show("known")).toContain("  gpt-4o-2024-05-13  200");
  expect(await show("failing")).toContain("  prod-chat  429");
  expect(JSON.parse(await show("tuned", "--json")).exchanges[0].model).toBe("house (gemini-2.0-flash)");
  expect(await show(join(root, "tapes/stream/001.cassette.json"))).toMatch(/^Model +eu \(gpt-4o-2024-05-13\)$/m);
});

it.each([
  ["OpenAI", { answer: missing }, true],
  ["Anthropic", { provider: "anthropic", path: "/v1/messages", answer: '{"error":{"message":"model: old-1"}}' }, true],
  [
    "Gemini",
    { ...gemini, path: "/v1beta/models/old-1:generateContent", answer: '[{"error":"models/old-1 is not"}]' },
    true,
  ],
  [
    "Azure without the deployment",
    { path: deployment("old-1"), answer: '{"error":{"code":"DeploymentNotFound"}}' },
    false,
  ],
  [
    "JSON that repeats the path",
    {
      ...gemini,
      path: "/v1beta/models/old-1:generateContent",
      answer: '{"message":"Cannot POST /v1beta/models/old-1:generateContent"}',
    },
    false,
  ],
  ["a page", { answer: "<p>/models/old-1</p>", type: "text/html" }, false],
  ["an edited answer", { answer: missing, edited: "2026-11-01T00:00:00Z" }, false],
  ["another status", { answer: missing, status: 400 }, false],
])("a model is not found by its provider if that says so: %s", async (name, given: Partial<Recorded>, expected) => {
  const tape = `gone-${name.replaceAll(" ", "-")}`;
  const asked = { path: "/v1/chat/completions", body: { model: "old-1" }, status: 404, answer: "", ...given };
  await record("one", asked, tape);
  const folder = join(root, tape);
  expect(readRecordedCalls(folder).calls.map(({ isGone }) => isGone)).toEqual([expected]);
  const { code, stdout } = await runCommand(["audit", "--tapes", folder, "--fail-within", "1d"]);
  expect([code, stdout.includes("not found by its provider (404)")]).toEqual([expected ? 1 : 0, expected]);
  expect(readFileSync(join(folder, "one/001.cassette.json"), "utf8")).toContain("old-1");
});
