import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { parseCassette } from "#lib/replay/cassettes/index";
import { readRecordedCalls, tapeFolder } from "#lib/replay/recording-proxy/index";
import { protocols, question } from "#tests/support/conversation-protocols";
import { itExtended } from "#tests/support/extended";
import { harEntry, harOf } from "#tests/support/har";
import { runCommand } from "#tests/support/run-cli";
import { turnAnswers, turnRequests } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

type Json = Record<string, unknown>;
const { chat, anthropic } = protocols;
const key = "sk-proj-Key0000Key1111Key2222Key3333Key4444";
/** Of no known form: only the variable says that it is a key. */
const otherKey = "correct horse battery staple";
const chatUrl = "https://api.openai.com/v1/chat/completions";

const tapes = setUpProxy();
const at = (...path: string[]) => join(tapes.folder, ...path);

type Wire = { status?: number; headers?: Json; encode?: (bytes: Buffer) => Buffer };

/** An interaction as vcrpy writes it. */
function interaction(url: string, body: Json, answer: string, { status = 200, headers, encode }: Wire = {}): Json {
  const bytes = Buffer.from(answer);
  return {
    request: { method: "POST", uri: url, body: JSON.stringify(body), headers: { authorization: [`Bearer ${key}`] } },
    response: {
      body: { string: encode ? encode(bytes) : answer },
      headers: { "Content-Type": ["text/event-stream; charset=utf-8"], ...headers },
      status: { code: status, message: "X" },
    },
  };
}

async function write(file: string, ...interactions: Json[]): Promise<void> {
  await mkdir(dirname(at(file)), { recursive: true });
  await writeFile(at(file), stringify({ interactions, version: 1 }, { version: "1.1" }));
}

const streamed = (body: Json): Json => ({ ...body, stream: true });
const chatStreams = turnAnswers(chat).map((body) => chat.provider.unfold(body).events.join(""));
const chatRequests = turnRequests(chat).map(streamed);

/** The turns of a conversation, each with another encoding. */
function conversation(): Json[] {
  const wires: Wire[] = [
    { headers: { "Content-Encoding": ["gzip"] }, encode: gzipSync },
    { headers: { "Content-Encoding": ["br"] }, encode: brotliCompressSync },
    { headers: { "Content-Encoding": ["deflate"] }, encode: deflateSync },
  ];
  return chatStreams.map((answer, index) => interaction(chatUrl, chatRequests[index] ?? {}, answer, wires[index]));
}

const tapedeck = (...args: string[]) =>
  runCommand(["import", ...args, "--tapes", at("tapes")], {
    environment: { OPENAI_API_KEY: key, GEMINI_API_KEY: otherKey },
  });

/** Sends the requests of a conversation to the tape of a test, and returns what it answers. */
async function replay(test: string, requests: readonly Json[]): Promise<string[]> {
  const proxy = await tapes.start("replay");
  const answers: string[] = [];
  for (const request of requests) {
    const response = await fetch(`${proxy.baseUrl(test, "openai")}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer other" },
      body: JSON.stringify(request),
    });
    answers.push(await response.text());
  }
  return answers;
}

it("a conversation of vcrpy is replayed to SDKs with the bytes that the provider sent", async () => {
  await write("trip.yaml", ...conversation());
  const { stdout } = await tapedeck("vcr", at("trip.yaml"), "--dry-run");
  expect(stdout).toContain("tapedeck: 3 would be imported, 0 already recorded, 0 left out");
  await expect(readdir(at("tapes"))).rejects.toThrow(/ENOENT/);
  const imported = await tapedeck("vcr", at("trip.yaml"));
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toContain('3 for the tape "trip"\ntapedeck: 3 imported, 0 already recorded, 0 left out\n');
  expect(await replay("trip", chatRequests)).toEqual(chatStreams);
  await tapes.proxy.begin("trip");
  const client = new OpenAI({ baseURL: tapes.proxy.baseUrl("trip", "openai"), apiKey: "unused", maxRetries: 0 });
  const stream = await client.chat.completions.create(chatRequests[0] as never);
  const pieces: string[] = [];
  for await (const { choices } of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>)
    pieces.push(choices[0]?.delta.content ?? "");
  expect(pieces.join("")).toBe("Let me look – ");
});

it("of recordings without a date, none is invented", async () => {
  const [first = {}, second = {}] = conversation();
  await write("undated.yaml", first, second);
  await write("dated.yaml", first, { ...second, recorded_at: "Mon, 02 Mar 2026 10:00:00 GMT" });
  const { stdout } = await tapedeck("vcr", at("undated.yaml"), at("dated.yaml"));
  expect(stdout).toContain("\ntapedeck: 3 of unknown date, which audit takes for older than any change\n");
  const { calls } = readRecordedCalls(at("tapes"));
  const dates = calls.map(({ test, recordedAt }) => `${test} ${recordedAt}`).sort();
  expect(dates).toEqual(["dated 2026-03-02T00:00:00Z", "dated null", "undated null", "undated null"]);
  const show = async (...args: string[]) => (await runCommand(["show", ...args, "--tapes", at("tapes")])).stdout;
  expect(await show("undated")).not.toContain("today");
  expect(await show()).toMatch(/undated\n.* date unknown\n/);
  expect(await show(at("tapes/undated/001.cassette.json"))).toMatch(
    /^Provenance +imported, timing synthetic, date unknown$/m,
  );
});

it("a HAR file is replayed to SDKs, and what is no model in it is left out", async () => {
  const body = anthropic.answerOf({ text: "Sunscreen.", calls: [] }, "a1");
  const request = anthropic.requestOf(question);
  const entry = (url: string, answer: Json, sent?: Json) => {
    const text = Buffer.from(JSON.stringify(answer)).toString("base64");
    const timings = { wait: 600, receive: 10 };
    return harEntry({
      url,
      request: sent,
      type: "application/json",
      text,
      content: { encoding: "base64" },
      entry: { timings },
    });
  };
  const entries = [
    entry("https://app.test/index.json", {}),
    entry("https://api.anthropic.com/v1/messages?key=secret", body, request),
  ];
  await writeFile(at("session.har"), harOf(...entries));
  const { code, stdout } = await tapedeck("har", at("session.har"), "--test", "trip.test.ts > packs");
  expect(code).toBe(0);
  expect(stdout).toContain(
    'entry 1: GET https://app.test/index.json was left out: it is not a request to a model. To import all requests to its host, add "app.test" to hosts in tapedeck.config.json.',
  );
  expect(stdout).toContain("tapedeck: 1 imported, 0 already recorded, 1 left out");
  const proxy = await tapes.start("replay");
  const test = "trip.test.ts > packs";
  const client = new Anthropic({ baseURL: proxy.baseUrl(test, "anthropic"), apiKey: "unused", maxRetries: 0 });
  expect((await client.messages.create(request as never)).content).toEqual([{ type: "text", text: "Sunscreen." }]);
});

it("answers that Polly.js kept compressed, in pieces, are replayed", async () => {
  const [request = {}] = chatRequests;
  const bytes = gzipSync(chatStreams[0] ?? "");
  const pieces = [bytes.subarray(0, 10), bytes.subarray(10)].map((piece) => piece.toString("base64"));
  const headers = { "content-encoding": "gzip" };
  const content = { size: 1, encoding: "base64" };
  const entry = { _id: "a", timings: { wait: 600, receive: 10 } };
  await mkdir(at("recordings/trip_1"), { recursive: true });
  const kept = harEntry({ url: chatUrl, request, text: JSON.stringify(pieces), headers, content, entry });
  await writeFile(at("recordings/trip_1/recording.har"), harOf(kept).replace("Browser", "Polly.JS"));
  const { code, stdout } = await tapedeck("har", at("recordings"), "--test", "trip");
  expect([code, stdout]).toEqual([0, expect.stringContaining("tapedeck: 1 imported")]);
  expect(await replay("trip", [request])).toEqual([chatStreams[0]]);
});

it("imported twice, a request stays as it is; equal requests of one file keep their order", async () => {
  const [request = {}] = chatRequests;
  await write(
    "a.yaml",
    interaction(chatUrl, request, chatStreams[0] ?? ""),
    interaction(chatUrl, request, chatStreams[2] ?? ""),
  );
  expect((await tapedeck("vcr", at("a.yaml"))).stdout).toContain("2 imported, 0 already recorded");
  const files = await readdir(at("tapes/a"));
  await write("b.yaml", interaction(chatUrl, request, chatStreams[1] ?? ""));
  const again = await tapedeck("vcr", at("a.yaml"), at("b.yaml"), "--test", "a");
  expect(again.stdout).toContain("tapedeck: 1 imported, 2 already recorded, 0 left out");
  expect((await readdir(at("tapes/a"))).length).toBe(files.length + 1);
  expect(await replay("a", [request, request, request])).toEqual([chatStreams[0], chatStreams[2], chatStreams[1]]);
});

it("secrets are removed from requests and answers, and counted", async () => {
  const body = streamed({ ...chat.requestOf(`My keys are ${key} and ${otherKey}.`), user: "u1" });
  const leaking = chat.provider.unfold(chat.answerOf({ text: `It is ${key}.`, calls: [] }, "a1")).events.join("");
  await write("a.yaml", interaction(`${chatUrl}?key=${key}`, body, leaking));
  const { stdout } = await tapedeck("vcr", at("a.yaml"));
  expect(stdout).toContain("1 imported");
  expect(stdout).toMatch(/secrets removed before anything was stored: [2-9]\n/);
  expect(stdout).toMatch(/\n {4}a, 001\.cassette\.json: \/messages\/0\/content: \S/);
  expect(stdout).toMatch(/\n {4}a, 001\.cassette\.json: the answer at byte \d+: \S/);
  expect(stdout).not.toContain(key);
  const text = await readFile(at("tapes/a/001.cassette.json"), "utf8");
  for (const secret of [key.slice(8), otherKey]) expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({
    request: { query: "" },
    provenance: { kind: "imported", timing: "synthetic" },
  });
});

it("incomplete answers are told and not stored", async () => {
  const [request = {}] = chatRequests;
  const cut = (chatStreams[0] ?? "").slice(0, 200);
  await write(
    "a.yaml",
    interaction(chatUrl, request, cut),
    interaction(chatUrl, request, chatStreams[0] ?? "", {
      headers: { "Content-Encoding": ["gzip"] },
      encode: (bytes) => Buffer.concat([Buffer.from([0x1f, 0x8b, 0xff]), bytes]),
    }),
  );
  const { code, stdout } = await tapedeck("vcr", at("a.yaml"));
  expect(code).toBe(0);
  for (const note of [
    "interaction 1: The answer to POST /v1/chat/completions was not stored: it ended before the answer was complete.",
    "interaction 2: The answer to POST /v1/chat/completions was not stored: The response is not valid gzip",
    "tapedeck: 0 imported, 0 already recorded, 2 left out",
  ])
    expect(stdout).toContain(note);
  await expect(readdir(at("tapes"))).rejects.toThrow(/ENOENT/);
});

it("of many files, those that are not valid are named, and the others are imported", async () => {
  await write("in/good.yaml", ...conversation());
  await write("in/more/good.yaml", ...conversation());
  await writeFile(at("in/bad.yaml"), "interactions:\n- a: b: c\n");
  await writeFile(at("in/empty.json"), "");
  const { code, stdout, stderr } = await tapedeck("vcr", at("in"), at("none"));
  expect(code).toBe(1);
  expect(stdout).toContain("tapedeck: 6 imported");
  expect(stderr.split("\n")).toEqual([
    `${at("in/bad.yaml")}: line 2: Nested mappings are not allowed in compact mappings.`,
    `${at("in/empty.json")}: is empty.`,
    `${at("none")}: not found.`,
    "",
  ]);
  expect(await replay("more/good", chatRequests)).toEqual(chatStreams);
});

it("a cassette of pytest-recording becomes the tape of its test, with the project's settings", async () => {
  const [request = {}] = chatRequests;
  const url = "https://gateway.test/llm/chat/completions";
  await write(
    "tests/cassettes/test_trip/TestTrip.test_packs[Lisbon].yaml",
    interaction(url, request, chatStreams[0] ?? ""),
  );
  const upstreams = { gateway: { url: "https://gateway.test/llm", provider: "openai-chat" } };
  await writeFile(at("tapedeck.config.json"), JSON.stringify({ upstreams, tapes: "recorded" }));
  const { code, stdout } = await runCommand(["import", "vcr", "tests/cassettes"], { cwd: tapes.folder });
  const name = "tests/test_trip.py > TestTrip > test_packs[Lisbon]";
  expect([code, stdout]).toEqual([0, expect.stringContaining(`1 for the tape "${name}"`)]);
  const tape = JSON.parse(await readFile(at("recorded", ...tapeFolder(name), "tape.json"), "utf8"));
  expect(tape).toMatchObject({ test: name, exchanges: [{ request: "openai-chat POST /chat/completions" }] });
});

it("requests to any host are replayed to clients that know no base URL, whatever one interaction lacks", async () => {
  const groqUrl = "https://api.groq.com/openai/v1/chat/completions";
  const [request = {}] = chatRequests;
  const headers = { "X-Bytes": Buffer.from("be"), Location: ["https://search.test/b"] };
  const search = interaction("https://search.test/find?q=a", {}, "[1.0]", { status: 302, headers });
  const answer = interaction(groqUrl, request, chatStreams[0] ?? "");
  const page = interaction(`${groqUrl}?page`, request, "<p>Moved.", { headers: { "Content-Type": ["text/html"] } });
  const local = interaction("http://127.0.0.1:4010/find", {}, "[]");
  const onDefaultPort = interaction("http://localhost/find", {}, "[2]");
  await write("default.yaml", answer, { request: {} }, search, page, local, onDefaultPort);
  const imported = await tapedeck("vcr", at("default.yaml"));
  expect(imported).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("default.yaml: interaction 2: request.method: "),
  });
  expect(imported.stdout).toContain("tapedeck: 5 imported, 0 already recorded, 0 left out");
  const program = `
    const post = (url, body) => fetch(url, { method: "POST", body, redirect: "manual" });
    const first = await post(${JSON.stringify(groqUrl)}, ${JSON.stringify(JSON.stringify(request))});
    const second = await post("https://search.test/find?q=a", "{}");
    const local = await (await post("http://127.0.0.1:4010/find", "{}")).text();
    const other = await (await post("http://localhost/find", "{}")).text();
    console.log(JSON.stringify([await first.text(), second.status, second.headers.get("location"), await second.text(), local, other]));`;
  await writeFile(at("ask.mjs"), program);
  const { code } = await runCommand(["run", "--mode", "replay", "--", "sh", "-c", "node ask.mjs > answers.json"], {
    cwd: tapes.folder,
  });
  expect(code).toBe(0);
  const answers = JSON.parse(await readFile(at("answers.json"), "utf8"));
  expect(answers).toEqual([chatStreams[0], 302, "https://search.test/b", "[1.0]", "[]", "[2]"]);

  // Nothing goes to a host that stands on the tape, also if the client swallows the error.
  const other = `await fetch("https://search.test/other").catch(() => undefined);`;
  const args = ["--mode", "replay", "--", "node", "--input-type=module", "-e", other];
  const missed = await runCommand(["run", ...args], { cwd: tapes.folder });
  expect(missed).toMatchObject({ code: 1, stderr: expect.stringContaining("to search.test by node.") });
  expect(missed.stderr).not.toContain("passed to other hosts");
});

itExtended(
  "a cassette with ten times as many members takes ten times as long, and beyond the bound is text",
  async () => {
    const [request = {}] = chatRequests;
    const measure = async (count: number) => {
      const metadata = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`key ${index}`, `text ${index}`]),
      );
      const sent = interaction(chatUrl, { ...request, metadata }, chatStreams[0] ?? "");
      await writeFile(at(`${count}.json`), JSON.stringify({ interactions: [sent] }));
      const start = performance.now();
      expect(await tapedeck("vcr", at(`${count}.json`))).toMatchObject({ code: 0 });
      return performance.now() - start;
    };
    await measure(1_000);
    const small = await measure(20_000);
    // Thirty times as many; work that grows with the square would take 900 times as long.
    expect((await measure(600_000)) / small).toBeLessThan(200);
    const { cassette } = parseCassette(await readFile(at("tapes/600000/001.cassette.json")));
    expect(Object.keys(cassette.request.body ?? {})).toEqual(["s"]);
  },
);

it("fixtures of aimock are refused with what they lack", async () => {
  const fixtures = [{ match: { userMessage: "Well?", model: "m" }, response: { content: "Yes." } }];
  await writeFile(at("f.json"), JSON.stringify({ fixtures }));
  const { code, stderr } = await tapedeck("aimock", at("f.json"));
  expect(code).toBe(1);
  expect(stderr).toContain("its fixtures (1) cannot become recordings");
  expect(stderr).toContain("Record these tests again: npm run -s tapedeck -- run -- <command>");
});
