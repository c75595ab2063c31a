import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { generateText, stepCountIs, tool } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { matchKey } from "#lib/replay/recording-proxy/tape-request";
import { type Json, type Protocol, protocols, question, runTool, turnsOf } from "#tests/support/conversation-protocols";
import { type Answer, startProvider } from "#tests/support/provider-double";
import { runCli } from "#tests/support/run-cli";
import { seededRandom } from "#tests/support/seeded-random";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";
import { temporaryFolder } from "#tests/support/temporary-folder";

const tapes = setUpProxy();
const random = seededRandom("ids of tool calls");
/** Providers give new ids to each answer, in no order. */
const newId = () => `${random().toString(36).slice(2)}x`;
let answerNext: Answer = () => undefined;
type Options = { prompt?: () => string; toolOf?: (topic: string) => string };
let nowS = 0;
const timed = () => {
  nowS += 1;
  return `It is 2026-11-27T10:00:${String(nowS).padStart(2, "0")}Z. ${question}`;
};

const finalText = (topic: string) => `Pack for ${topic}.`;

/** A client that asks the same at first, and after two turns for its topic. Each step is one request. */
async function* converse(
  protocol: Protocol,
  topic: string,
  { prompt = () => question, toolOf = () => "" }: Options,
): AsyncGenerator<undefined, string> {
  const { provider } = protocol;
  const history = provider.historyField.slice(1);
  let request = protocol.requestOf(prompt());
  for (const { calls, text } of turnsOf("")) {
    const isLast = calls.length === 0;
    if (isLast)
      request = { ...request, [history]: [...(request[history] as Json[]), { role: "user", content: topic }] };
    const issued = calls.map((call) => ({ ...call, id: newId() }));
    const turn = { text: isLast ? finalText(topic) : text, calls: issued };
    answerNext = streamAnswer(protocol, protocol.answerOf(turn, newId()));
    const received = await tapes.send(protocol, "packs", request);
    if (received.status !== 200) return received.text;
    const chunks = [{ deltaMs: 0, bytes: Buffer.from(received.text) }];
    const { body, answer } = readRecordedAnswer(provider, { headers: received.headers, chunks });
    const ids = calls.length === 0 ? [] : (answer?.ids ?? []).slice(-calls.length);
    const results = calls.map(({ name, input }, index) => ({
      id: ids[index] ?? "",
      name,
      output: runTool(name, input) + toolOf(topic),
    }));
    // Tools end in any order.
    if (random() < 0.5) results.reverse();
    if (isLast) return (answer?.parts ?? []).map((part) => ("text" in part ? part.text : "")).join("");
    request = protocol.continue(request, body ?? {}, results);
    yield;
  }
  throw new Error("A conversation has a last turn.");
}

/** Runs conversations, a step of a random one at a time; returns what each came to. */
async function runMixed(protocol: Protocol, topics: readonly string[], options: Options = {}): Promise<string[]> {
  const runs = topics.map((topic, index) => ({ index, steps: converse(protocol, topic, options) }));
  const texts: string[] = [];
  while (runs.length > 0) {
    const next = Math.floor(random() * runs.length);
    const run = runs[next] as (typeof runs)[number];
    const { done, value } = await run.steps.next();
    if (!done) continue;
    texts[run.index] = value;
    runs.splice(next, 1);
  }
  return texts;
}

async function record(protocol: Protocol, topics: readonly string[], options: Options = {}): Promise<void> {
  await tapes.serve((response, received) => answerNext(response, received));
  const recording = await tapes.start("record");
  for (const topic of topics) expect(await runMixed(protocol, [topic], options)).toEqual([finalText(topic)]);
  await recording.end("packs");
  await tapes.disconnect();
}

describe.each(["anthropic", "chat", "responses", "chained"] as const)(
  "conversations of %s that begin alike",
  (name) => {
    const protocol = protocols[name];

    it.each<[string, string[], Options]>([
      ["alone", ["p2"], {}],
      ["in another order", ["p3", "p2", "p1"], {}],
      ["in another order, with results of their own", ["p3", "p2", "p1"], { toolOf: (topic) => topic }],
      ["in another order at another time", ["p3", "p2", "p1"], { prompt: timed }],
    ])("play %s", async (_how, topics, options) => {
      await record(protocol, ["p1", "p2", "p3"], options);
      const replaying = await tapes.start("replay");
      for (const topic of topics) expect(await runMixed(protocol, [topic], options)).toEqual([finalText(topic)]);
      const report = await replaying.end("packs");
      expect(report).toMatchObject({ played: topics.length * 3, misses: [] });
      if (!options.prompt) expect(report?.accepted).toEqual([]);
    });

    it("play at the same time, each to its own end", async () => {
      const topics = ["p1", "p2", "p3", "p4", "p5"];
      await record(protocol, topics);
      const replaying = await tapes.start("replay");
      for (let run = 0; run < 5; run += 1) {
        await replaying.begin("packs");
        expect(await runMixed(protocol, topics)).toEqual(topics.map(finalText));
        expect(await replaying.end("packs")).toMatchObject({ played: 15, misses: [], unused: [] });
      }
    });
  },
);

/** An agent that calls its tool twice, and then asks for its topic. */
const program = `
const [topic] = process.argv.slice(2);
const messages = [{ role: "user", content: "What should I pack?" }];
for (let turn = 0; turn < 3; turn += 1) {
  if (turn === 2) messages.push({ role: "user", content: topic });
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
    body: JSON.stringify({ model: "gpt-test-1", messages }),
  });
  if (!response.ok) process.exit(1);
  const [{ message }] = (await response.json()).choices;
  if (turn === 2) console.log(message.content);
  messages.push(message, ...(message.tool_calls ?? []).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "21" })));
}
`;

it("two agents that begin alike play in parallel in tapedeck run, and each alone", async () => {
  const chat = protocols.chat;
  const server = await startProvider((response, { body }) => {
    const { messages } = JSON.parse(body);
    const { role, content } = messages.at(-1);
    const isLast = role === "user" && messages.length > 1;
    const calls = isLast ? [] : [{ id: newId(), name: "get_forecast", input: { turn: messages.length } }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(chat.answerOf({ text: isLast ? finalText(content) : "", calls }, newId())));
  });
  const cwd = temporaryFolder();
  await writeFile(join(cwd, "agent.mjs"), program);
  const environment = {
    CI: undefined,
    OPENAI_API_KEY: "sk-proj-Key0000Key1111",
    OPENAI_BASE_URL: `${server.origin}/v1`,
  };
  const run = async (mode: string, command: string) => {
    const { code, stdout, stderr } = await runCli(["run", "--mode", mode, "--", "sh", "-c", command], {
      cwd,
      environment,
    });
    return { code, lines: stdout.trim().split("\n").sort(), summary: stderr.split("\n")[0] };
  };
  const lines = [finalText("p1"), finalText("p2")];
  const recorded = await run("auto", "node agent.mjs p1; node agent.mjs p2");
  expect(recorded).toEqual({ code: 0, lines, summary: expect.stringContaining("6 recorded") });
  await server.close();
  const both = await run("replay", "node agent.mjs p2 & node agent.mjs p1 & wait");
  expect(both).toEqual({ code: 0, lines, summary: expect.stringContaining("6 played, 0 recorded, 0 missed") });
  expect(await run("replay", "node agent.mjs p2")).toMatchObject({ code: 0, lines: [finalText("p2")] });
});

describe("ids that are not equal", () => {
  const chat = protocols.chat;
  const chained = protocols.chained;
  type Call = [protocol: Protocol, request: Json, answer: Json];
  async function recordCalls(...calls: Call[]): Promise<void> {
    await tapes.serve((response, received) => answerNext(response, received));
    const recording = await tapes.start("record");
    for (const [protocol, request, answer] of calls) {
      answerNext = streamAnswer(protocol, answer);
      expect((await tapes.send(protocol, "packs", request)).status).toBe(200);
    }
    await recording.end("packs");
    await (await tapes.start("replay")).begin("packs", { exact: true });
  }
  const statusesOf = async (protocol: Protocol, ...requests: Json[]) => {
    const received = [];
    for (const request of requests) received.push(await tapes.send(protocol, "packs", request));
    return received.map(({ status }) => status);
  };
  const answerOf = (protocol: Protocol, text: string, ...calls: [id: string, city: string][]) =>
    protocol.answerOf(
      { text, calls: calls.map(([id, city]) => ({ id, name: "get_forecast", input: { city } })) },
      text,
    );

  it.each([
    ["whose text is another one", ["0", "1", "2"], [424, 200]],
    ["whose id another one has too", ["0", "2", "2"], [424, 424]],
  ])("a response %s is not continued in the place of this one", async (_which, ids, expected) => {
    const first = chained.requestOf(question);
    const next = (id: string, input: string) => ({ ...first, previous_response_id: `resp_${id}`, input });
    const last = answerOf(chained, "Take a coat.");
    const answers = ["Warm.", "Cold.", "Warm."].map((text, index) => ({
      ...answerOf(chained, text),
      id: `resp_${ids[index]}`,
    }));
    await recordCalls(
      ...answers.map((answer): Call => [chained, first, answer]),
      [chained, next("1", "And in Porto?"), last],
      [chained, next("2", "And in Faro?"), last],
    );
    expect(await statusesOf(chained, next("0", "And in Porto?"), next("0", "And in Faro?"))).toEqual(expected);
  });

  it("results of parallel calls are compared call by call", async () => {
    const first = chat.requestOf(question);
    const answer = (one: string, two: string) => answerOf(chat, "Hm.", [one, "Lisbon"], [two, "Porto"]);
    const next = (one: string, two: string, outputs: readonly string[], ids = [one, two]) =>
      chat.continue(
        first,
        answer(one, two),
        ids.map((id, index) => ({ id, name: "", output: outputs[index] ?? "" })),
      );
    await recordCalls(
      [chat, first, answer("a", "b")],
      [chat, first, answer("d", "c")],
      [chat, next("d", "c", ["21", "19"]), answerOf(chat, "Take a coat.")],
    );
    const asked = [
      next("a", "b", ["19", "21"]),
      next("b", "a", ["21", "19"]),
      next("a", "b", ["21", "19"], ["x", "y"]),
      next("a", "b", ["19", "21"], ["b", "a"]),
    ];
    expect(await statusesOf(chat, ...asked)).toEqual([424, 424, 424, 200]);
  });

  it("an id that two answers issued for different things is compared as it is", async () => {
    const first = chat.requestOf(question);
    const [lisbon, porto] = [
      (id: string) => answerOf(chat, "", [id, "Lisbon"]),
      (id: string) => answerOf(chat, "", [id, "Porto"]),
    ];
    const second = (id: string) => chat.continue(first, lisbon(id), [{ id, name: "", output: "21" }]);
    const third = (id: string, other: string) =>
      chat.continue(second(id), porto(other), [{ id: other, name: "", output: "19" }]);
    await recordCalls(
      [chat, first, lisbon("a")],
      [chat, second("a"), porto("b")],
      [chat, first, lisbon("b")],
      [chat, second("b"), porto("c")],
      [chat, third("b", "c"), answerOf(chat, "Take a coat.")],
    );
    expect(await statusesOf(chat, third("a", "b"), third("c", "b"), third("b", "c"))).toEqual([424, 424, 200]);
  });

  /** Gemini as it answers with ids of calls. */
  const gemini: Protocol = {
    ...protocols.gemini,
    answerOf: ({ text, calls }) => {
      const parts = calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
      return { candidates: [{ content: { role: "model", parts: text ? [{ text }] : parts }, finishReason: "STOP" }] };
    },
    continue: (request, { candidates }, results) => {
      const parts = results.map(({ id, name, output }) => ({ functionResponse: { id, name, response: { output } } }));
      const [candidate] = candidates as Json[];
      return { ...request, contents: [...(request.contents as Json[]), candidate?.content, { role: "user", parts }] };
    },
  };

  describe.each([
    ["Anthropic", protocols.anthropic],
    ["Chat", chat],
    ["Responses", protocols.responses],
    ["Gemini", gemini],
  ])("inputs of tools of %s that are ids", (_name, protocol) => {
    const first = protocol.requestOf(question);
    const callOf = (id: string, input: Json) =>
      protocol.answerOf({ text: "", calls: [{ id, name: "get_ticket", input }] }, id);
    const next = (id: string, input: Json, output: string) =>
      protocol.continue(first, callOf(id, input), [{ id, name: "get_ticket", output }]);

    it("are not equal", async () => {
      const ticket = (number: string) => ({ id: number, order: [{ order_id: number }] });
      await recordCalls(
        [protocol, first, callOf("a", ticket("T-42"))],
        [protocol, next("a", ticket("T-42"), "open"), answerOf(protocol, "Summarize.")],
        [protocol, first, callOf("b", ticket("T-43"))],
        [protocol, next("b", ticket("T-43"), "closed"), answerOf(protocol, "Delete it.")],
      );
      const asked = [next("a", ticket("T-42"), "closed"), next("b", ticket("T-43"), "closed")];
      expect(await statusesOf(protocol, ...asked)).toEqual([424, 200]);
    });

    it("stay as they are where a call has the same id", async () => {
      const input = { id: "b" };
      await recordCalls(
        [protocol, first, callOf("a", input)],
        [protocol, first, callOf("b", input)],
        [protocol, next("b", input, "open"), answerOf(protocol, "Summarize.")],
      );
      expect(await statusesOf(protocol, next("a", input, "open"))).toEqual([200]);
    });
  });

  it("a miss names ids as the client sent them", async () => {
    const first = chat.requestOf(question);
    const next = (id: string) =>
      chat.continue(first, answerOf(chat, "", [id, "Lisbon"]), [{ id, name: "", output: "21" }]);
    await recordCalls(...["a", "d"].map((id): Call => [chat, first, answerOf(chat, "", [id, "Lisbon"])]), [
      chat,
      next("x"),
      answerOf(chat, "Take a coat."),
    ]);
    const { text } = await tapes.send(chat, "packs", next("d"));
    expect(JSON.parse(text).error.message).toContain(
      'is 003.cassette.json:\n  /messages/1/tool_calls/0/id was "x" and is now "d"\n',
    );
  });

  it("a miss that differs only in ids that the client made up names these", async () => {
    const first = chat.requestOf(question);
    const next = (id: string, topic: string) => {
      const called = chat.continue(first, answerOf(chat, "", [id, "Lisbon"]), [{ id, name: "", output: "21" }]);
      return { ...called, messages: [...(called.messages as Json[]), { role: "user", content: topic }] };
    };
    const last = answerOf(chat, "Take a coat.");
    await recordCalls([chat, next("a", "p1"), last], [chat, next("d", "p2"), last]);
    const { text } = await tapes.send(chat, "packs", next("a", "p2"));
    expect(JSON.parse(text).error.message).toContain(
      'is 002.cassette.json:\n  /messages/1/tool_calls/0/id was "d" and is now "a"\n  /messages/2/tool_call_id was',
    );
  });
});

describe("ids of Gemini's calls that the client makes up", () => {
  const call = (city: string) => ({ functionCall: { name: "weather", args: { city } }, thoughtSignature: "c2ln" });
  const answer =
    (parts: Json[]): Answer =>
    (response) =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] }));

  it("are not compared, with the AI SDK", async () => {
    const { requests } = await tapes.serve(
      answer([call("Lisbon"), call("Rome")]),
      answer([{ text: "Rain in Lisbon, sun in Rome." }]),
    );
    const ask = async (mode: "auto" | "replay") => {
      await tapes.start(mode, { exact: true });
      const google = createGoogleGenerativeAI({
        apiKey: "test",
        baseURL: `${tapes.proxy.urlOf("packs")}/gemini/v1beta`,
      });
      const weather = tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => (city === "Rome" ? "sun" : "rain"),
      });
      const { text } = await generateText({
        model: google("gemini-3-pro"),
        prompt: "Lisbon or Rome?",
        tools: { weather },
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      });
      return text;
    };
    const recorded = await ask("auto");
    expect(recorded).toBe("Rain in Lisbon, sun in Rome.");
    expect(requests[1]?.body).toMatch(/"functionCall":\{"id":/);
    expect(await ask("replay")).toBe(recorded);
    expect(await tapes.proxy.end("packs")).toMatchObject({ played: 2, misses: [] });
  });

  it("say which result is of which call", () => {
    const requestOf = (ids: string[], results: string[]) => {
      const response = (id: string, index: number) => ({
        functionResponse: { id, name: "weather", response: { sky: index === 0 ? "rain" : "sun" } },
      });
      const calls = ["Lisbon", "Rome"].map((city, index) => ({
        functionCall: { ...call(city).functionCall, id: ids[index] ?? "" },
      }));
      const contents = [
        { role: "model", parts: calls },
        { role: "user", parts: results.map(response) },
      ];
      return {
        method: "POST",
        path: "/v1beta/models/gemini-3-pro:generateContent",
        query: "",
        body: { json: { contents } },
      };
    };
    const keyOf = (ids: string[], results: string[]) =>
      matchKey(protocols.gemini.provider, requestOf(ids, results), []);
    expect(keyOf(["a", "b"], ["a", "b"])).toBe(keyOf(["x", "y"], ["x", "y"]));
    expect(keyOf(["a", "b"], ["a", "b"])).not.toBe(keyOf(["a", "b"], ["b", "a"]));
  });
});
