import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeReports, type RecordingProxy } from "#lib/replay/recording-proxy/index";
import { startTape } from "#lib/testing/index";
import { collect } from "#tests/support/clients/collect";
import { runGemini } from "#tests/support/clients/genai";
import { runOllama } from "#tests/support/clients/ollama";
import { runChatTools, runResponses } from "#tests/support/clients/openai";
import { inputSchema, lastText, protocols, question, runTool, tools } from "#tests/support/conversation-protocols";
import { ask, control, streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

type TestOptions = NonNullable<Parameters<RecordingProxy["begin"]>[1]>;

const tapes = setUpProxy();
const test = "trip.test.ts > books a trip";

/** The loop of `turnsOf`: what ends its requests is the question, then results of tools. Ends with a miss if none matches. */
const loop: TestOptions["answers"] = [
  { when: '{"city":"Porto"', text: lastText },
  {
    when: { regex: "CELSIUS", flags: "i" },
    times: 1,
    toolCalls: [
      { name: "get_forecast", input: { city: "Porto" } },
      { name: "to_fahrenheit", input: { celsius: 21 } },
    ],
  },
  {
    when: question,
    times: 1,
    text: "Let me look – ",
    toolCalls: [{ name: "get_forecast", input: { city: "Lisbon" } }],
  },
];

async function begin(
  answers: TestOptions["answers"],
  options: TestOptions = {},
): Promise<(upstream: string) => string> {
  const proxy = await tapes.start("replay");
  await proxy.begin(test, { answers, ...options });
  return (upstream) => proxy.baseUrl(test, upstream);
}

const openai = (baseURL: string, maxRetries = 0) => new OpenAI({ baseURL, apiKey: "none", maxRetries });
const messages = (content: string) => [{ role: "user" as const, content }];
const chatBody = (content: string) => ({ model: "m-1", messages: messages(content) });
const chat = (baseURL: string, content: string, maxRetries = 0) =>
  openai(baseURL, maxRetries).chat.completions.create(chatBody(content));
const textOf = async (answer: ReturnType<typeof chat>) => (await answer).choices[0]?.message.content;

describe.each([true, false])("an agent loop with hand-written answers, streamed: %s", (stream) => {
  it("of Anthropic Messages", async () => {
    const baseURL = (await begin(loop))("anthropic");
    const runnable = tools.map((tool) => {
      const { name, description } = tool;
      const run = (input: unknown) => runTool(name, input as Record<string, unknown>);
      return betaTool({ name, description, inputSchema: inputSchema(tool), run });
    });
    const last = await new Anthropic({ baseURL, apiKey: "none" }).beta.messages
      .toolRunner({ model: "claude-1", max_tokens: 9, messages: messages(question), tools: runnable, stream })
      .runUntilDone();
    expect(last).toMatchObject({ model: "claude-1", stop_reason: "end_turn", content: [{ text: lastText }] });
    expect(last.usage.output_tokens).toBeGreaterThan(9);
  });

  it("of Chat Completions", async () => {
    const said = await runChatTools(openai((await begin(loop))("openai")), { model: "m-1", stream });
    const calls = said.map((message) => ("tool_calls" in message ? message.tool_calls : undefined) ?? []);
    expect(calls.map(({ length }) => length)).toEqual([1, 2, 0]);
    expect(new Set(calls.flat().map(({ id }) => id)).size).toBe(3);
    expect(said.map(({ content }) => content)).toEqual(["Let me look – ", null, lastText]);
  });

  it.each([true, false])("of Responses, chained: %s", async (isChained) => {
    const said = await runResponses(openai((await begin(loop))("openai")), { model: "m-1", stream, isChained });
    expect(said.map(({ output }) => output.map(({ type }) => type))).toEqual([
      ["message", "function_call"],
      ["function_call", "function_call"],
      ["message"],
    ]);
    expect(said.map(({ model, output_text }) => [model, output_text]).at(-1)).toEqual(["m-1", lastText]);
    expect(new Set(said.flatMap(({ id, output }) => [id, ...output.map((item) => item.id)])).size).toBe(8);
  });

  it("of Gemini", async () => {
    const httpOptions = { baseUrl: (await begin(loop))("gemini") };
    const said = await runGemini(new GoogleGenAI({ apiKey: "none", httpOptions }), stream);
    const textOf = (parts: (typeof said)[number]["parts"]) => parts?.map(({ text }) => text).join("");
    expect(textOf(said.at(-1)?.parts)).toBe(lastText);
    expect(said).toHaveLength(3);
  });

  it("of Ollama", async () => {
    const host = (await begin(loop))("ollama");
    const said = await runOllama(new Ollama({ host }), { model: "m-1", isStreamed: stream });
    expect(said.map(({ tool_calls: calls = [] }) => calls.map(({ function: called }) => called.name))).toEqual([
      ["get_forecast"],
      ["get_forecast", "to_fahrenheit"],
      [],
    ]);
    expect(said.at(-1)?.content).toBe(lastText);
  });
});

it("has what each protocol needs: thinking, usage, an end at the limit, and Ollama's /api/generate", async () => {
  const upstream = await begin([{ thinking: "Rain?", text: "A coat.", stopReason: "max_tokens" }]);
  const anthropic = new Anthropic({ baseURL: upstream("anthropic"), apiKey: "none" });
  const message = await anthropic.messages
    .stream({ model: "claude-1", max_tokens: 9, messages: messages("Pack?") })
    .finalMessage();
  expect(message.content).toMatchObject([{ thinking: "Rain?" }, { text: "A coat." }]);
  expect(message.stop_reason).toBe("max_tokens");
  const stream = await openai(upstream("openai")).chat.completions.create({
    ...chatBody("Pack?"),
    stream: true,
    stream_options: { include_usage: true },
  });
  const [counted, last] = (await collect(stream)).reverse();
  expect([last?.choices[0]?.finish_reason, counted?.usage?.completion_tokens]).toEqual(["length", expect.any(Number)]);
  const whole = await chat(upstream("openai"), "Pack?");
  expect([whole.model, whole.usage]).toEqual(["m-1", counted?.usage]);
  const ollama = new Ollama({ host: upstream("ollama") });
  const generated = await ollama.generate({ model: "m-1", prompt: "Pack?" });
  expect(generated).toMatchObject({ model: "m-1", response: "A coat.", thinking: "Rain?", done_reason: "length" });
  const pieces = await collect(await ollama.generate({ model: "m-1", prompt: "Pack?", stream: true }));
  expect(pieces.map(({ response }) => response).join("")).toBe("A coat.");
  const { path } = protocols.gemini.provider.upstream.pathOf({}, { model: "m-1", isStream: true });
  const response = await fetch(upstream("gemini") + path, { method: "POST", body: "{}" });
  expect(await response.json()).toEqual(expect.arrayContaining([expect.objectContaining({ modelVersion: "m-1" })]));
});

it("has the token counts, the headers and the body that it says", async () => {
  const html = "<html>502 Bad Gateway</html>";
  const upstream = await begin([
    {
      status: 502,
      body: html,
      headers: { "Content-Type": "text/html", "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" },
      times: 1,
    },
    {
      text: "A coat.",
      usage: { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 7 },
      headers: { "x-ratelimit-remaining-requests": "1" },
    },
  ]);
  const send = () =>
    fetch(`${upstream("openai")}/chat/completions`, { method: "POST", body: JSON.stringify(chatBody("Pack?")) });
  const failed = await send();
  expect([failed.status, failed.headers.get("content-type"), await failed.text()]).toEqual([502, "text/html", html]);
  expect([failed.headers.get("retry-after"), failed.headers.get("retry-after-ms")]).toEqual([expect.any(String), null]);
  const answers = [await send(), await send()];
  const ids = [failed, ...answers].map(({ headers }) => headers.get("x-request-id"));
  expect(new Set(ids.filter(Boolean)).size).toBe(3);
  expect(answers[0]?.headers.get("x-ratelimit-remaining-requests")).toBe("1");
  expect(await answers[0]?.json()).toMatchObject({
    usage: {
      prompt_tokens: 1_200,
      completion_tokens: 7,
      total_tokens: 1_207,
      prompt_tokens_details: { cached_tokens: 1_000 },
    },
  });
  const anthropic = new Anthropic({ baseURL: upstream("anthropic"), apiKey: "none" });
  const { usage } = await anthropic.messages.create({ model: "claude-1", max_tokens: 9, messages: messages("Pack?") });
  expect(usage).toMatchObject({ input_tokens: 200, cache_read_input_tokens: 1_000, output_tokens: 7 });
  const { path } = protocols.gemini.provider.upstream.pathOf({}, { model: "m-1", isStream: false });
  const gemini = await (await fetch(upstream("gemini") + path, { method: "POST", body: "{}" })).json();
  expect(gemini.usageMetadata).toMatchObject({ promptTokenCount: 1_200, cachedContentTokenCount: 1_000 });
  const told = { previous_response_id: "resp_1", metadata: { trip: "a" } };
  const responses = await openai(upstream("openai")).responses.create({ model: "m-1", input: "Pack?", ...told });
  expect(responses).toMatchObject(told);
  expect(responses.usage).toMatchObject({ input_tokens: 1_200, input_tokens_details: { cached_tokens: 1_000 } });
});

it("looks at the last message of the user alone, whatever comes before and after it", async () => {
  const upstream = await begin([
    { when: "Porto", text: "Not this." },
    { when: "Lisbon", text: "A coat." },
  ]);
  const body = {
    model: "claude-1",
    max_tokens: 9,
    system: "You know Porto.",
    messages: [
      ...messages("What about Porto?"),
      { role: "assistant" as const, content: "Porto is fine." },
      ...messages("And Lisbon?"),
      { role: "assistant" as const, content: "For Porto and" },
    ],
  };
  const { content } = await new Anthropic({ baseURL: upstream("anthropic"), apiKey: "none" }).messages.create(body);
  expect(content).toMatchObject([{ text: "A coat." }]);
  const input = [...messages("And Lisbon?"), { role: "developer" as const, content: "Porto" }];
  expect((await openai(upstream("openai")).responses.create({ model: "m-1", input })).output_text).toBe("A coat.");
  const response = { city: { name: "Lisbon" } };
  const contents = [{ role: "user", parts: [{ functionResponse: { name: "look", response } }] }];
  const { models } = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: upstream("gemini") } });
  expect((await models.generateContent({ model: "m-1", contents })).text).toBe("A coat.");
});

it("answers a compressed request", async () => {
  const upstream = await begin([{ when: "Lisbon", text: "A coat." }]);
  const body = gzipSync(JSON.stringify(chatBody("In Lisbon?")));
  const response = await fetch(`${upstream("openai")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body,
  });
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: "A coat." } }] });
});

it("ids of tool calls do not depend on the order of calls that get different answers", async () => {
  const toolCalls = [{ name: "get_forecast" }];
  const idsFor = async (cities: string[]) => {
    await tapes.proxy.begin(test, { answers: [{ when: "Lisbon", toolCalls }, { toolCalls }] });
    const ids: Record<string, string | undefined> = {};
    for (const city of cities) {
      const { choices } = await chat(tapes.proxy.baseUrl(test, "openai"), `In ${city}?`);
      ids[city] = choices[0]?.message.tool_calls?.[0]?.id;
    }
    return ids;
  };
  await tapes.start("replay");
  const ids = await idsFor(["Lisbon", "Porto", "Faro"]);
  expect(new Set(Object.values(ids)).size).toBe(3);
  expect(await idsFor(["Porto", "Lisbon", "Faro"])).toEqual(ids);
});

it("a regular expression that takes too long fails its call alone, with an error that names the answer", async () => {
  const upstream = await begin([
    { when: "Lisbon", text: "A coat." },
    { when: { regex: "^(?:a+)+$" }, text: "Never." },
  ]);
  const baseURL = upstream("openai");
  await expect(chat(baseURL, `${"a".repeat(30)}b`)).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining('"^(?:a+)+$" of hand-written answer 2 takes too long'),
  });
  expect(await textOf(chat(baseURL, "In Lisbon?"))).toBe("A coat.");
});

it("Ollama's /api/generate, which has no tool calls, gets no answer with toolCalls, and its miss says so", async () => {
  const upstream = await begin([
    { when: "Lisbon", toolCalls: [{ name: "get_forecast" }] },
    { when: "rain", text: "A coat." },
  ]);
  const ollama = new Ollama({ host: upstream("ollama") });
  const generate = async (prompt: string) => (await ollama.generate({ model: "m-1", prompt })).response;
  expect(await generate("Lisbon, rain?")).toBe("A coat.");
  await expect(generate("Lisbon?")).rejects.toThrow("Those with toolCalls are not for Ollama's /api/generate.");
});

it("gives answers with times in a row, errors too, and notes what was not used", async () => {
  const upstream = await begin([
    { when: "Pack", status: 529, code: "busy", message: "Later.", times: 1 },
    { when: "Pack", text: "A coat.", times: 1 },
    { text: "All else." },
    { when: "Pack", text: "Never." },
    { when: "Stay", text: "Nor this.", times: 1 },
  ]);
  const baseURL = upstream("openai");
  await expect(chat(baseURL, "Pack?")).rejects.toMatchObject({ status: 529, code: "busy", message: /Later\./ });
  expect(await textOf(chat(baseURL, "Pack?"))).toBe("A coat.");
  expect(await textOf(chat(baseURL, "Pack?"))).toBe("All else.");
  const report = await tapes.proxy.end(test);
  expect(report).toMatchObject({ requests: 3, answered: 3, played: 0, recorded: 0, misses: [] });
  expect(report?.notes).toEqual(
    [4, 5].map((at) => `Answer ${at} was not used; answer 3 is given to every call before it.`),
  );
  expect(describeReports(report ? [report] : [])[0]).toBe(
    "tapedeck: 0 played, 0 recorded, 0 missed, 0 unused, 3 from answers",
  );
  expect(existsSync(join(tapes.folder, "tapes"))).toBe(false);
  await tapes.proxy.begin(test, { answers: [{ when: "Pack", text: "A coat.", times: 1 }] });
  expect((await tapes.proxy.end(test))?.notes).toEqual(["Answer 1 was not used; it matched no call."]);
});

it("an answer for a model is given to requests that name it alone", async () => {
  const gone = { status: 404, code: "model_not_found" };
  const upstream = await begin([
    { model: "m-gone", ...gone },
    { model: "m-2", text: "A coat." },
  ]);
  const ofModel = (model: string) =>
    openai(upstream("openai")).chat.completions.create({ model, messages: messages("Pack?") });
  await expect(ofModel("m-gone")).rejects.toMatchObject(gone);
  expect((await ofModel("m-2")).choices[0]?.message.content).toBe("A coat.");
  await expect(ofModel("m-3")).rejects.toThrow('its last message: "Pack?" and the model m-3.');
});

it("an answer for a host is given to requests to it alone", async () => {
  const upstream = await begin([
    { host: "api.groq.com", text: "A scarf." },
    { host: "local*", text: "A coat." },
  ]);
  const { choices } = await openai(upstream("openai")).chat.completions.create(chatBody("Pack?"));
  expect(choices[0]?.message.content).toBe("A coat.");
  expect((await tapes.proxy.end(test))?.notes).toEqual(["Answer 1 was not used; it matched no call."]);
});

it("an answer for a path is given to requests of any kind, as it is written", async () => {
  const batch = (status: string) => ({ path: "/v1/batches/*", json: { id: "batch_1", status } });
  const vector = [0.25, -1];
  const upstream = await begin([
    { path: "/v1/embeddings", when: "Lisbon", json: { data: [{ embedding: vector, index: 0 }] } },
    { path: "/v1/embeddings", status: 429, json: { error: { code: "quota" } }, headers: { "Retry-After": "0" } },
    { ...batch("in_progress"), times: 1 },
    batch("completed"),
    { path: "/v1/audio/speech", base64: "AP9h", headers: { "Content-Type": "audio/mpeg" }, rechunk: 1 },
    { path: "/v1/audio/transcriptions", model: "other", body: "Hola." },
    { path: "/v1/audio/transcriptions", model: "m", when: "fr", body: "Bonjour." },
    { path: "/v1/files/*", status: 204, body: "" },
    { path: "/v1/chat/completions", json: { choices: [{ message: { refusal: "No." } }] } },
  ]);
  const client = openai(upstream("openai"));
  const embed = (input: string) => client.embeddings.create({ model: "m", input, encoding_format: "float" });
  expect((await embed("Lisbon")).data[0]?.embedding).toEqual(vector);
  await expect(embed("Porto")).rejects.toMatchObject({ status: 429, code: "quota" });
  expect((await client.batches.retrieve("batch_1")).status).toBe("in_progress");
  for (const _ of [1, 2]) expect((await client.batches.retrieve("batch_1")).status).toBe("completed");
  const speech = await client.audio.speech.create({ model: "m", voice: "alloy", input: "Hi" });
  expect(speech.headers.get("content-type")).toBe("audio/mpeg");
  expect(Buffer.from(await speech.arrayBuffer())).toEqual(Buffer.from([0, 255, 97]));
  const file = new File(["any"], "a.wav");
  const said = client.audio.transcriptions.create({ model: "m", file, language: "fr", response_format: "text" });
  expect(await said).toBe("Bonjour.");
  expect(await client.files.content("file_1")).toBeNull();
  expect((await client.chat.completions.create(chatBody("Pack?"))).choices[0]?.message.refusal).toBe("No.");
  await expect(client.models.list()).rejects.toThrow(/get hand-written answers with their path alone/);
  const notes = ["Answer 6 was not used; it matched no call."];
  expect(await tapes.proxy.end(test)).toMatchObject({ answered: 9, notes });
});

it("an SDK that retries gets the next answer, and the requests are seen", async () => {
  const upstream = await begin([{ status: 529, times: 1 }, { text: "A coat." }]);
  expect(await textOf(chat(upstream("openai"), "Pack?", 1))).toBe("A coat.");
  const requests = await control(tapes.proxy.urlOf(test), tapes.proxy.token, "requests");
  expect(requests).toMatchObject([1, 2].map(() => ({ body: chatBody("Pack?") })));
});

it("faults act on them", async () => {
  const faults = [
    { call: 1, status: 500 },
    { call: 2, afterEvent: 2 },
    { call: 3, rechunk: 100 },
  ];
  await begin([{ text: "A coat for the rain.", times: 2 }], { faults });
  const send = () => ask(protocols.chat, tapes.proxy.urlOf(test), chatBody("Pack?"));
  expect((await send()).status).toBe(500);
  const cut = await send();
  expect(cut.text).toMatch(/\n\n\(cut\)$/);
  const whole = await send();
  expect(whole.headers).toMatchObject({
    "x-tapedeck": "answered",
    "content-type": expect.stringMatching(/event-stream/),
  });
  expect(whole.text).toMatch(/data: \[DONE\]\n\n$/);
  expect(await tapes.proxy.end(test)).toMatchObject({ answered: 2, notes: [] });
});

/** Returns the seeds of the random delays of calls that get one answer, of which nothing is noted. */
async function seedsOf(count: number) {
  await begin([{ text: "A coat.", jitterMs: 1 }]);
  const seeds: unknown[] = [];
  for (let call = 0; call < count; call += 1)
    seeds.push((await ask(protocols.chat, tapes.proxy.urlOf(test), chatBody("Wear?"))).headers["x-tapedeck-seed"]);
  expect(await tapes.proxy.end(test)).toMatchObject({ notes: [] });
  return seeds;
}

it("an answer's own fault acts each time that it is given, but not where the test has one", async () => {
  const broken = { when: "Pack?", text: "A coat for the rain.", afterEvent: 2, do: "error" as const };
  const short = { text: "A coat.", afterEvent: 900 };
  await begin([broken, short], { faults: [{ call: 2, rechunk: 100 }] });
  const send = async (content: string) =>
    (await ask(protocols.chat, tapes.proxy.urlOf(test), { ...chatBody(content), stream: true })).text;
  const texts = [await send("Pack?"), await send("Pack?"), await send("Pack?"), await send("Wear?")];
  for (let again = 0; again < 5; again += 1) await send("Wear?");
  expect(texts.map((text) => [/"error":/.test(text), /\[DONE\]\n\n$/.test(text)])).toEqual([
    [true, false],
    [false, true],
    [true, false],
    [false, true],
  ]);
  const { notes = [] } = (await tapes.proxy.end(test)) ?? {};
  expect(notes[0]).toMatch(/^What hand-written answer 2 asks for was not done; .*900/);
  expect(new Set(notes).size).toBe(notes.length);
  const [first, next, again] = [await seedsOf(2), await seedsOf(2), await seedsOf(1)];
  expect([new Set(first).size, next, again]).toEqual([2, first, first.slice(0, 1)]);
  await expect(begin([{ status: 500, afterEvent: 1 }])).rejects.toThrow("an error is sent at once and whole");
});

it("what no answer matches is played from the tape or recorded, and a miss says why", async () => {
  const recorded = protocols.chat.answerOf({ text: "Sunscreen.", calls: [] }, "a1");
  await tapes.serve(streamAnswer(protocols.chat, recorded));
  const answers = [{ when: "Lisbon", text: "A coat.", times: 1 }];
  const send = (content: string) => ask(protocols.chat, tapes.proxy.urlOf(test), chatBody(content));
  for (const [mode, counts] of [
    ["auto", { answered: 1, recorded: 1 }],
    ["replay", { answered: 1, played: 1, misses: [] }],
  ] as const) {
    await tapes.start(mode);
    await tapes.proxy.begin(test, { answers });
    expect((await send("In Lisbon?")).headers["x-tapedeck"]).toBe("answered");
    expect((await send("In Porto?")).text).toContain("Sunscreen.");
    expect(await tapes.proxy.end(test)).toMatchObject({ ...counts, notes: [] });
  }
  await tapes.proxy.begin(test, { answers });
  await send("In Lisbon?");
  const miss = await send("In Lisbon again?");
  expect(miss.status).toBe(424);
  expect(miss.text).toContain(
    'No hand-written answer is left for its last message: \\"In Lisbon again?\\" and the model m-1.',
  );
  const client = openai(tapes.proxy.baseUrl(test, "openai"));
  await expect(client.embeddings.create({ model: "m-1", input: "Lisbon" })).rejects.toThrow(
    /Calls other than those of .* get hand-written answers with their path alone\./,
  );
});

it("in mode live, the provider is asked all the same", async () => {
  const recorded = protocols.chat.answerOf({ text: "Sunscreen.", calls: [] }, "a1");
  await tapes.serve(streamAnswer(protocols.chat, recorded));
  await tapes.start("live");
  await tapes.proxy.begin(test, { answers: [{ text: "A coat." }] });
  expect((await ask(protocols.chat, tapes.proxy.urlOf(test), chatBody("Pack?"))).text).toContain("Sunscreen.");
  expect(await tapes.proxy.end(test)).toMatchObject({ answered: 0, passedThrough: 1, notes: [] });
});

it("those of the configuration are for all tests, after a test's own", async () => {
  const answers = [{ when: { regex: "^pack", flags: "i" }, text: "A coat." }, { text: "All else." }];
  await writeFile(join(tapes.folder, "tapedeck.config.json"), JSON.stringify({ answers }));
  const upstream = await begin([{ when: "Packs", text: "Mine." }]);
  expect(await textOf(chat(upstream("openai"), "Packs?"))).toBe("Mine.");
  expect(await textOf(chat(upstream("openai"), "Pack?"))).toBe("A coat.");
  expect(await textOf(chat(tapes.proxy.baseUrl("default", "openai"), "Stay?"))).toBe("All else.");
  expect(await tapes.proxy.end(test)).toMatchObject({ answered: 2, notes: [] });
});

it("a fixture sends regular expressions", async () => {
  await tapes.start("replay");
  vi.stubEnv("TAPEDECK_PROXY", tapes.proxy.origin);
  vi.stubEnv("TAPEDECK_TOKEN", tapes.proxy.token);
  onTestFinished(() => void vi.unstubAllEnvs());
  const t = await startTape(test, { answers: [{ when: /lisbon|porto/gi, text: "A coat." }] });
  expect(await textOf(chat(t.openai, "To Porto?"))).toBe("A coat.");
  expect(await textOf(chat(t.openai, "To Lisbon?"))).toBe("A coat.");
  expect(await t.end()).toMatchObject({ answered: 2 });
  const ofAnotherRealm = runInNewContext("/lisbon/i") as RegExp;
  const other = await startTape(test, { answers: [{ when: ofAnotherRealm, text: "A coat." }] });
  expect(await textOf(chat(other.openai, "To Lisbon?"))).toBe("A coat.");
  const answers = [{ when: null as unknown as string, text: "A coat." }];
  await expect(startTape(test, { answers })).rejects.toThrow("answers.0.when: must be a text, or a regular expression");
});

const noKind = "answers.0: must have text or toolCalls; or the status of an error; or path, with json, body or base64";

it.each([
  [{ when: "x" }, noKind],
  [{ text: "x", status: 500 }, noKind],
  [{ path: "/v1/embeddings" }, noKind],
  [{ json: {} }, noKind],
  [{ path: "/v1/embeddings", json: {}, body: "" }, noKind],
  [{ path: "v1/embeddings", json: {} }, "answers.0.path: must begin with a slash"],
  [{ text: "x", code: "y" }, "answers.0: only an error has retryAfterS, code and message"],
  [{ status: 500, thinking: "x" }, "answers.0: only text or toolCalls have thinking and usage"],
  [{ text: "x", usage: { cachedTokens: 1 } }, "answers.0.usage: cachedTokens are part of inputTokens, and need them"],
  [
    { text: "x", headers: { "Content-Length": "1" } },
    "answers.0.headers: must not have headers of the connection, such as content-length",
  ],
  [{ text: "x", when: { regex: "(" } }, "answers.0.when: regex and flags must be a regular expression"],
  [{ text: "x", when: 1 }, "answers.0.when: must be a text, or a regular expression as { regex, flags }"],
  [{ toolCalls: [{ input: {} }] }, "answers.0.toolCalls.0.name: is required"],
  [{ text: "x", times: 0 }, "answers.0.times: must be at least 1"],
  [{ txt: "x" }, "answers.0: unknown: txt"],
])("%j is refused with a reason that names the member", async (answer, error) => {
  const proxy = await tapes.start("replay");
  const refused = await control(proxy.urlOf(test), proxy.token, "begin", { answers: [answer] });
  expect(refused).toEqual({ error });
});
