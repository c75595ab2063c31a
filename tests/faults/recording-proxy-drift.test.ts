import { describe, expect, it } from "vitest";
import type { RecordingProxy } from "#lib/replay/recording-proxy/index";
import {
  type Json,
  type ProtocolName,
  protocols,
  providerProtocols,
  question,
  type Result,
  runTool,
  turnsOf,
} from "#tests/support/conversation-protocols";
import { isExtended } from "#tests/support/extended";
import { sendTo, streamAnswer, upstreamNames } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const systemText = "You are a travel agent. Be brief.";
const changedText = "You are a travel agent. Be brave.";

/** Returns a request with a system prompt and a temperature, where each protocol has them. */
function requestOf(name: ProtocolName): Json {
  const request = protocols[name].requestOf(question);
  switch (name) {
    case "anthropic":
      return { ...request, stream: true, system: systemText, temperature: 0.5 };
    case "responses":
      return { ...request, stream: true, instructions: systemText, temperature: 0.5 };
    case "gemini":
      return {
        ...request,
        systemInstruction: { parts: [{ text: systemText }] },
        generationConfig: { temperature: 0.5 },
      };
    default: {
      const messages = [{ role: "system", content: systemText }, ...(request.messages as Json[])];
      const options = name === "ollama" ? { options: { temperature: 0.5 } } : { temperature: 0.5 };
      return { ...request, stream: true, messages, ...options };
    }
  }
}

/** Replaces a text, or a number, wherever it is in a request. */
function replaced(request: Json, from: string, to: string): Json {
  const changed = JSON.stringify(request).replaceAll(from, to);
  if (changed === JSON.stringify(request)) throw new Error(`The request has no ${from}.`);
  return JSON.parse(changed);
}

/** Returns a value whose objects have their members in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
}

type Sent = { model?: string; headers?: Record<string, string>; pretty?: boolean };

async function send(proxy: RecordingProxy, name: ProtocolName, body: Json, sent: Sent = {}) {
  const { model = "m-1", headers, pretty = false } = sent;
  const { path, query } = protocols[name].provider.upstream.pathOf(body, { model, isStream: true });
  const [upstream] = upstreamNames[protocols[name].provider.name] ?? [];
  const received = await sendTo(`${proxy.urlOf("packs")}/${upstream}${path}?${query}`, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body, null, pretty ? 4 : 0),
  });
  const { error } = received.status === 200 ? {} : JSON.parse(received.text);
  return { ...received, message: typeof error === "string" ? error : (error?.message ?? "") };
}

const tapes = setUpProxy();

/** Records requests, stops the upstream, and returns a proxy that replays them. */
async function record(name: ProtocolName, ...requests: readonly Json[]): Promise<RecordingProxy> {
  const protocol = protocols[name];
  await tapes.serve(streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen ☔.", calls: [] }, "a1")));
  const recording = await tapes.start("auto");
  for (const request of requests) {
    const headers = { authorization: "Bearer key-of-this-run" };
    expect((await send(recording, name, request, { headers })).status).toBe(200);
  }
  await tapes.disconnect();
  return tapes.start("replay");
}

/** Those that differ most; all with `--extended`. */
const names: readonly ProtocolName[] = isExtended ? providerProtocols : ["anthropic", "gemini"];

describe.each(names)("a recording of %s", (name) => {
  const request = requestOf(name);
  // Gemini's model is in the path.
  const isModelInPath = name === "gemini";

  it.each<[string, () => [Json, Sent?], RegExp]>([
    [
      "one word of the system prompt",
      () => [replaced(request, systemText, changedText)],
      /\n {2}\/(system|instructions|systemInstruction\/parts\/0\/text|messages\/0\/content) was "…?.*Be brief\." and is now "…?.*Be brave\."\n/,
    ],
    [
      "a tool's schema",
      () => [replaced(request, '"required":["city"]', '"required":[]')],
      /\n {2}\/tools\/0\/\S*required\/0 is missing; it was "city"\n/,
    ],
    [
      "a tool's description",
      () => [replaced(request, "Converts a temperature", "Converts any temperature")],
      /\n {2}\/tools\/\S*description was "Converts a temperature\." and is now "Converts any temperature\."\n/,
    ],
    [
      "the model",
      () => (isModelInPath ? [request, { model: "m-2" }] : [{ ...request, model: `${request.model}b` }]),
      isModelInPath
        ? /\n {2}the request was "…?.*m-1:stream.*" and is now "…?.*m-2:stream.*"\n/
        : /\n {2}\/model was "(.*)" and is now "\1b"\n/,
    ],
    [
      "the temperature",
      () => [replaced(request, '"temperature":0.5', '"temperature":0.6')],
      /\n {2}\/(options\/|generationConfig\/)?temperature was 0\.5 and is now 0\.6\n/,
    ],
    ["a new field", () => [{ ...request, top_k: 3 }], /\n {2}\/top_k is new: 3\n/],
    [
      "a part of the prompt in front",
      () => [replaced(request, question, `Please: ${question}`)],
      /What should I pack.* and is now "Please: What/,
    ],
    ["a longer prompt", () => [replaced(request, question, `${question} And for a month?`)], /And for a month\?"/],
    [
      "a shorter prompt",
      () => [replaced(request, question, question.slice(0, 20))],
      new RegExp(` and is now "…?.*${question.slice(0, 20).slice(-8)}"`),
    ],
  ])("with a change of %s is a miss that names it", async (_change, changed, named) => {
    const proxy = await record(name, request);
    const missed = await send(proxy, name, ...changed());
    expect([missed.status, missed.headers["x-should-retry"]]).toEqual([424, "false"]);
    expect(missed.message).toMatch(named);
    const report = await proxy.end("packs");
    expect(report).toMatchObject({ played: 0, unused: ["001.cassette.json"] });
    expect(report?.misses[0]?.nearest?.differences).toHaveLength(1);
  });

  it.each<[string, () => [Json, Sent?]]>([
    ["the order of the members", () => [reversed(request) as Json]],
    ["white space", () => [request, { pretty: true }]],
    ["the API key", () => [request, { headers: { "x-api-key": "other", authorization: "Bearer other" } }]],
    ["the user agent", () => [request, { headers: { "user-agent": "sdk/99.1", "x-stainless-retry-count": "1" } }]],
  ])("with a change of %s is played, also at another port", async (_change, changed) => {
    const proxy = await record(name, request);
    const played = await send(proxy, name, ...changed());
    expect(played).toMatchObject({ status: 200, text: expect.stringContaining("Sunscreen ☔") });
    expect(await proxy.end("packs")).toMatchObject({ played: 1, misses: [], accepted: [], unused: [] });
  });
});

/** Protocols in which results name their calls. */
describe.each(["anthropic", "chat", "responses"] as const)("results of parallel tools of %s", (name) => {
  const { requestOf: start, answerOf, continue: next, callIds } = protocols[name];
  const [first, second] = turnsOf(callIds);
  const resultsOf = (turn: typeof first): Result[] =>
    (turn?.calls ?? []).map(({ id, name, input }) => ({ id, name, output: runTool(name, input) }));
  const afterFirst = next(start(question), answerOf(first ?? { text: "", calls: [] }, "t1"), resultsOf(first));
  const withResults = (results: Result[]) => ({
    ...next(afterFirst, answerOf(second ?? { text: "", calls: [] }, "t2"), results),
    stream: true,
  });
  const results = resultsOf(second);
  const recorded = withResults(results);

  it("are the same in whatever order the tools end", async () => {
    const proxy = await record(name, recorded);
    await proxy.begin("packs", { exact: true });
    const swapped = withResults([...results].reverse());
    expect(JSON.stringify(swapped)).not.toBe(JSON.stringify(recorded));
    expect((await send(proxy, name, swapped)).status).toBe(200);
    expect(await proxy.end("packs")).toMatchObject({ played: 1, misses: [], accepted: [] });
  });

  it("that are exchanged between their calls are not the same", async () => {
    const [one, other] = results as [Result, Result];
    const exchanged = withResults([
      { ...one, output: other.output },
      { ...other, output: one.output },
    ]);
    const proxy = await record(name, recorded);
    await proxy.begin("packs", { exact: true });
    expect((await send(proxy, name, exchanged)).status).toBe(424);
    await proxy.begin("packs");
    expect((await send(proxy, name, exchanged)).status).toBe(200);
    expect((await proxy.end("packs"))?.accepted[0]?.differences).toHaveLength(2);
  });

  it("of another kind are a miss that names the same turn, not one with fewer differences", async () => {
    const proxy = await record(name, { ...afterFirst, stream: true }, recorded);
    const renamed = JSON.parse(JSON.stringify(recorded).replaceAll("_2", "_8").replaceAll("_3", "_9"));
    const missed = await send(proxy, name, { ...renamed, temperature: 0.1 });
    expect(missed.message).toContain("The nearest recording is 002.cassette.json:");
  });

  it("one of which is missing are a miss", async () => {
    const proxy = await record(name, recorded);
    expect((await send(proxy, name, withResults(results.slice(1)))).status).toBe(424);
  });

  it.runIf(name === "anthropic")("may have a mark of the cache at their last, which stays there", async () => {
    const marked = (order: Result[]) => {
      const request = structuredClone(withResults(order)) as unknown as { messages: { content: Json[] }[] };
      const last = request.messages.at(-1)?.content.at(-1) as Json;
      last.cache_control = { type: "ephemeral" };
      return request as unknown as Json;
    };
    const proxy = await record(name, marked(results));
    expect((await send(proxy, name, marked([...results].reverse()))).status).toBe(200);
    await proxy.begin("packs");
    const missed = await send(proxy, name, recorded);
    expect(missed.message).toContain('/messages/4/content/1/cache_control is missing; it was {"type":"ephemeral"}');
  });
});
