import { createHash, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCassette, sealCassette, serializeCassette } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();
const json = { "content-type": "application/json" };

test("a poll says at maximum speed that the next one need not wait, and else what was recorded", async () => {
  await tapes.serve((response) => {
    response.writeHead(200, { ...json, "openai-poll-after-ms": "5000" }).end('{"status":"queued"}');
  });
  const intervalOf = async (method = "GET") => {
    const url = `${tapes.proxy.baseUrl("polls", "openai")}/threads/thread_1/runs/run_1`;
    return (await fetch(url, { method })).headers.get("openai-poll-after-ms");
  };
  await tapes.start("auto");
  expect([await intervalOf(), await intervalOf("POST")]).toEqual(["5000", "5000"]);
  await tapes.disconnect();
  const proxy = await tapes.start("replay");
  expect([await intervalOf(), await intervalOf("POST")]).toEqual(["1", "5000"]);
  await proxy.begin("polls", { speed: "recorded" });
  expect(await intervalOf()).toBe("5000");
});

/** Lines of a batch, and the ids in them. */
const batchOf = (ids: readonly string[], prompt = "Hello") => {
  const line = (id: string) => JSON.stringify({ custom_id: id, url: "/v1/responses", body: { input: prompt } });
  return `${ids.map(line).join("\n")}\n`;
};
const upload = async (content: string) => {
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([content]), "batch.jsonl");
  const response = await fetch(`${tapes.proxy.baseUrl("batch", "openai")}/files`, { method: "POST", body: form });
  return { status: response.status, text: await response.text() };
};
const contentOf = async (file: string) =>
  (await fetch(`${tapes.proxy.baseUrl("batch", "openai")}/files/${file}/content`)).text();
const newIds = () => [randomUUID(), randomUUID()];

test("a file of JSON Lines matches although its UUIDs differ, and later answers have those of the run", async () => {
  const recorded = newIds();
  await tapes.serve((response, { path }) => {
    const isContent = path.endsWith("/content");
    response.writeHead(200, isContent ? { "content-type": "application/octet-stream" } : json);
    response.end(isContent ? batchOf([...recorded, "own"]) : '{"id":"file-1"}');
  });
  await tapes.start("auto");
  await upload(batchOf(recorded));
  expect(await contentOf("file-2")).toBe(batchOf([...recorded, "own"]));
  await tapes.disconnect();
  await tapes.start("replay");
  const ids = newIds();
  const missed = await upload(batchOf(ids, "Good bye"));
  expect(missed).toEqual({
    status: 424,
    text: expect.stringMatching(/multipart\/1\/text was .*Hello.* and is now .*Good bye/),
  });
  expect((await upload(batchOf(ids))).status).toBe(200);
  expect(await contentOf("file-2")).toBe(batchOf([...ids, "own"]));
});

test("a batch of JSON gets results with the ids of the run, but for one that would have two", async () => {
  const [first = "", second = "", both = "", still = ""] = [...newIds(), ...newIds()];
  const results = [first, second, both, still].map((id) => ({ custom_id: id }));
  await tapes.serve((response, { path }) => {
    response.writeHead(200, { "content-type": "application/x-jsonl" });
    response.end(path.endsWith("/results") ? results.map((line) => `${JSON.stringify(line)}\n`).join("") : "{}");
  });
  const base = () => `${tapes.proxy.baseUrl("batch", "anthropic")}/v1/messages/batches`;
  const create = (ids: readonly string[]) => {
    const body = JSON.stringify({ requests: ids.map((id) => ({ custom_id: id, params: {} })) });
    return fetch(base(), { method: "POST", body });
  };
  await tapes.start("auto");
  await create([first, second, both, both, still, still]);
  await (await fetch(`${base()}/msgbatch_1/results`)).text();
  await tapes.disconnect();
  await tapes.start("replay");
  const ids = newIds();
  expect((await create([ids[0] ?? "", second, ...newIds(), still, randomUUID()])).status).toBe(200);
  const played = (await (await fetch(`${base()}/msgbatch_1/results`)).text()).trim().split("\n");
  expect(played.map((line) => JSON.parse(line).custom_id)).toEqual([ids[0], second, both, still]);
});

test("a file of which a tape has only the hash still matches", async () => {
  await tapes.serve((response) => void response.writeHead(200, json).end('{"id":"file-1"}'));
  await tapes.start("auto");
  const content = batchOf(["a"]);
  await upload(content);
  await tapes.disconnect();
  const path = join(tapes.folder, "tapes/batch/001.cassette.json");
  const { cassette, chunks } = parseCassette(await readFile(path));
  const { multipart } = (cassette.request.body as { json: { multipart: Record<string, unknown>[] } }).json;
  const sha256 = createHash("sha256").update(content).digest("hex");
  const [purpose, { text, ...file } = {}] = multipart;
  expect(text).toBe(content);
  const body = { json: { multipart: [purpose, { ...file, size: content.length, sha256 }] } };
  const provider = requireProvider(cassette.provider);
  const draft = { ...cassette, provider, request: { ...cassette.request, body }, chunks } as never;
  await writeFile(path, serializeCassette(sealCassette(draft)));
  await tapes.start("replay");
  expect((await upload(batchOf(["b"]))).status).toBe(424);
  expect((await upload(content)).status).toBe(200);
});

test.each(["/embeddings", "/moderations"])(
  "a time in the input of %s is content, which has no old answer",
  async (path) => {
    await tapes.serve((response) => void response.writeHead(200, json).end('{"data":[]}'));
    const send = async (input: string) => {
      const body = JSON.stringify({ model: "m", input: [input], metadata: { run: randomUUID() } });
      const url = `${tapes.proxy.baseUrl("vectors", "openai")}${path}`;
      const response = await fetch(url, { method: "POST", headers: json, body });
      return { status: response.status, text: await response.text() };
    };
    await tapes.start("auto");
    const [was, is] = ["The bill is due 2026-01-02T10:00:00Z.", "The bill is due 2026-03-04T10:00:00Z."];
    await send(was);
    await tapes.disconnect();
    await tapes.start("replay");
    expect(await send(is)).toEqual({
      status: 424,
      text: expect.stringMatching(/\/input\/0 was .*2026-01.* and is now .*2026-03.*volatile_text/),
    });
    expect((await send(was)).status).toBe(200);
    await tapes.start("replay", { volatile_text: ["due \\S+"] });
    expect((await send(is)).status).toBe(200);
  },
);

test("a file that is no JSON is stored by its hash, as it may have secrets that nothing knows", async () => {
  await tapes.serve((response) => void response.writeHead(200, json).end('{"id":"file-1"}'));
  const proxy = await tapes.start("auto");
  await upload("user,password\nada,hunter2-Quiet-Fox-99\n");
  const report = await proxy.end("batch");
  const stored = await readFile(join(report?.folder ?? "", "001.cassette.json"), "utf8");
  expect(stored).toContain('"sha256"');
  expect(stored).not.toContain("hunter2");
});
