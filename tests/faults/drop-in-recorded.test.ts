import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Provider, requireProvider } from "#lib/replay/providers/index";
import { testedAdapters } from "#tests/support/conversation-cassettes";
import { idOf, modelOf, sealCall, serveSealed } from "#tests/support/seal-conversation";
import type { ServedFolder } from "#tests/support/serve-files";

const [responses, anthropic, http] = ["openai-responses", "anthropic", "http"].map(requireProvider) as [
  Provider,
  Provider,
  Provider,
];

const responseOf = (id: string, status: string, text = "") => ({
  id,
  object: "response",
  status,
  model: "gpt-test",
  output: text && [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }],
});
const { events } = responses.unfold(responseOf("resp_a", "completed", "Lisbon."));

const cassettes = [
  sealCall("streamed", responses, {
    path: "/v1/responses",
    request: { model: "gpt-test", input: "Which city?", stream: true },
    answer: events.join(""),
    type: "text/event-stream",
  }),
  sealCall("queued", responses, {
    path: "/v1/responses",
    request: { model: "gpt-test", input: "Think.", background: true },
    answer: responseOf("resp_b", "queued"),
  }),
  sealCall("state-1", responses, {
    method: "GET",
    path: "/v1/responses/resp_b",
    answer: responseOf("resp_b", "in_progress"),
  }),
  sealCall("state-2", responses, {
    method: "GET",
    path: "/v1/responses/resp_b",
    answer: responseOf("resp_b", "completed", "Done."),
  }),
  sealCall("image", http, {
    path: "/v1/images/generations",
    request: { model: "image-test", prompt: "A cat" },
    answer: { created: 1, data: [{ b64_json: "AAAA" }] },
  }),
  sealCall("batch", anthropic, {
    method: "GET",
    path: "/v1/messages/batches/msgbatch_1",
    answer: { id: "msgbatch_1", type: "message_batch" },
  }),
  sealCall("file", http, { method: "DELETE", path: "/v1/files/file_1", answer: { id: "file_1", deleted: true } }),
  sealCall("cohere", http, { path: "/v2/chat", request: { message: "Hi" }, answer: { finish_reason: "COMPLETE" } }),
];

describe.each(testedAdapters)("the %s adapter", (adapter) => {
  let served: ServedFolder;
  let openai: OpenAI;
  beforeAll(async () => {
    served = await serveSealed(adapter, cassettes);
    openai = new OpenAI({
      baseURL: `${served.origin}/v1`,
      apiKey: "none",
      maxRetries: 0,
      defaultHeaders: { "x-replay-speed": "max" },
    });
  });
  afterAll(() => served.stop());

  it("retrieves a response by its id, and the rest of its stream", async () => {
    expect(await openai.responses.retrieve("resp_a")).toMatchObject({ id: "resp_a", output_text: "Lisbon." });
    const all: number[] = [];
    for await (const event of await openai.responses.retrieve("resp_a", { stream: true }))
      all.push(event.sequence_number);
    const rest: number[] = [];
    const options = { stream: true, starting_after: 2 } as const;
    for await (const event of await openai.responses.retrieve("resp_a", options)) rest.push(event.sequence_number);
    expect([all, rest]).toEqual([events.map((_, index) => index), all.slice(3)]);
    await expect(openai.responses.retrieve("resp_c")).rejects.toMatchObject({ status: 404 });
  });

  it("retrieves the newest state of a background response, and in a test one state after the other", async () => {
    const status = async (headers = {}) => (await openai.responses.retrieve("resp_b", {}, { headers })).status;
    expect(await status()).toBe("completed");
    const headers = { "x-replay-test": `background on ${adapter}` };
    expect([await status(headers), await status(headers)]).toEqual(["in_progress", "completed"]);
  });

  it("answers whatever else was recorded, byte for byte", async () => {
    const image = { model: "image-test", prompt: "A cat" };
    expect((await openai.images.generate(image)).data).toEqual([{ b64_json: "AAAA" }]);
    const named = { headers: { "x-replay-cassette": idOf("image") } };
    expect((await openai.images.generate({ ...image, prompt: "A dog" }, named)).data).toHaveLength(1);
    expect(await openai.files.delete("file_1")).toEqual({ id: "file_1", deleted: true });
    const claude = new Anthropic({ baseURL: served.origin, apiKey: "none", maxRetries: 0 });
    expect(await claude.messages.batches.retrieve("msgbatch_1")).toMatchObject({ type: "message_batch" });
    const cohere = await fetch(`${served.origin}/v2/chat`, { method: "POST", body: '{"message":"Hi"}' });
    expect(await cohere.json()).toEqual({ finish_reason: "COMPLETE" });
  });

  it("refuses what was not recorded with the paths that are answered", async () => {
    const message = expect.stringContaining("nor a recording of exactly this request. Supported are POST /v1/messages");
    await expect(openai.images.generate({ prompt: "A dog" })).rejects.toMatchObject({
      status: 404,
      error: { message },
    });
    const other = { headers: { "x-replay-cassette": "none/such" } };
    await expect(openai.images.generate({ prompt: "A dog" }, other)).rejects.toThrow("none/such");
  });

  it("returns one model to Gemini's client", async () => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: served.origin } });
    await expect(client.models.get({ model: modelOf("image") })).rejects.toThrow("There is no model");
  });
});
