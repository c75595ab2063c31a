import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocols, providerProtocols, question } from "#tests/support/conversation-protocols";
import type { Answer } from "#tests/support/provider-double";
import { runCli, runCommand } from "#tests/support/run-cli";
import { streamAnswer, turnAnswers, turnRequests } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const test = "tests/trip.test.ts > books a trip";
const tapeFolder = "tapes/tests/trip-test-ts/books-a-trip";

const tapes = setUpProxy();
const show = (...args: string[]) => runCommand(["show", ...args], { cwd: tapes.folder });

/** Records a conversation with tools on the tape of each test. */
async function record(name: keyof typeof protocols, ...tests: string[]): Promise<void> {
  const protocol = protocols[name];
  for (const each of tests) {
    await tapes.serve(...turnAnswers(protocol).map((body) => streamAnswer(protocol, body)));
    const proxy = await tapes.start("auto");
    for (const body of turnRequests(protocol)) await tapes.send(protocol, each, body);
    await proxy.end(each);
  }
}

describe.each(providerProtocols)("a recording of %s", (name) => {
  it("is shown with what the request adds: the calls and what the tools returned, and with its answer", async () => {
    await record(name, test);
    const first = await show(`${tapeFolder}/001.cassette.json`);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain(`\nRequest\n[user] ${question}\n\nAnswer\n`);
    expect(first.stdout).toMatch(/\nUsage +\w+ \d+/);
    expect(first.stdout).toMatch(/\[calls get_forecast\] \{.*"city":\s?"Lisbon"/);
    const { stdout } = await show(`${tapeFolder}/002.cassette.json`);
    const [, request = ""] = /\nRequest\n([\s\S]*)\n\nAnswer\n/.exec(stdout) ?? [];
    expect(request).not.toContain(question);
    expect(request).toMatch(/^\[calls get_forecast\] \{.*"city":\s?"Lisbon"/m);
    expect(request).toMatch(/^\[result get_forecast\] .*Lisbon/m);
    const last = await show(`${tapeFolder}/003.cassette.json`, "--json");
    expect(JSON.parse(last.stdout)).toMatchObject({ schema: "cassette/2", response: { status: 200 }, stopped: true });
  });
});

it("lists tapes, and the exchanges of the one that is named by its test or folder", async () => {
  await record("chat", test, "tests/trip.test.ts > packs");
  const path = "POST /v1/chat/completions";
  const listed = await show();
  expect(listed.stdout).toBe(
    [
      `${test}\n  ${tapeFolder}  3 files  ${path} (3)  today\n`,
      `tests/trip.test.ts > packs\n  tapes/tests/trip-test-ts/packs  3 files  ${path} (3)  today\n`,
    ].join(""),
  );
  const document = JSON.parse((await show("--json")).stdout);
  expect(document.tapes).toHaveLength(2);
  expect((await show("tapes/tests")).stdout).toBe(listed.stdout);
  expect((await show("trip.test.ts")).stdout).toBe(listed.stdout);

  const shown = await show(test);
  const lines = shown.stdout.split("\n");
  expect(lines.slice(0, 2)).toEqual([test, tapeFolder]);
  expect(lines[2]).toMatch(/^ {2}001\.cassette\.json {2}POST \/v1\/chat\/completions {2}gpt-test-1 {2}200 {2}\w+ \d+/);
  expect(lines[3]).toMatch(/^ {4}\S/);
  expect(lines.filter((line) => line.includes(".cassette.json"))).toHaveLength(3);
  for (const name of [tapeFolder, "books a", "BOOKS A"]) expect((await show(name)).stdout).toBe(shown.stdout);
  expect((await show(tapeFolder, "--tapes", "elsewhere")).stdout).toBe(shown.stdout);
  const { exchanges, ...tape } = JSON.parse((await show(tapeFolder, "--json")).stdout);
  expect([tape, document.tapes[0]]).toEqual([
    { test, folder: tapeFolder },
    { ...tape, exchanges },
  ]);
  expect(exchanges[2]).toMatchObject({
    number: 3,
    file: "003.cassette.json",
    method: "POST",
    path: "/v1/chat/completions",
    provider: "openai-chat",
    model: "gpt-test-1",
    prompt: question,
    status: 200,
    usage: expect.any(Object),
  });
});

it("shows embeddings, images, speech and transcriptions, with long lists and texts shortened, and counts what they report", async () => {
  const answers = [
    ["application/json", JSON.stringify({ data: [{ embedding: Array(99).fill(0.5) }], usage: { prompt_tokens: 7 } })],
    ["application/json", JSON.stringify({ data: [{ b64_json: "A".repeat(4_000) }], usage: { input_tokens: 5 } })],
    ["audio/mpeg", Buffer.from([0, 255, 254])],
    ["text/event-stream", 'data: {"type":"done","text":"Bonjour.","usage":{"output_tokens":3}}\n\n'],
    ["text/plain", "Hello there."],
  ] as const;
  await tapes.serve(
    ...answers.map(
      ([type, body]): Answer =>
        (response) =>
          void response.writeHead(200, { "content-type": type }).end(body),
    ),
  );
  const proxy = await tapes.start("auto");
  const send = async (path: string, body: BodyInit) =>
    (await fetch(`${proxy.baseUrl(test, "openai")}${path}`, { method: "POST", body })).arrayBuffer();
  const form = new FormData();
  form.append("file", new File(["any"], "a.wav"));
  form.append("model", "whisper-1");
  await send("/embeddings", JSON.stringify({ model: "m-1", input: Array(20).fill("word") }));
  await send("/images/generations", JSON.stringify({ model: "m-2", prompt: "A tree" }));
  await send("/audio/speech", JSON.stringify({ model: "m-3", input: "Hi", voice: "alloy" }));
  await send("/audio/transcriptions", form);
  await send("/audio/translations", form);
  const report = await proxy.end(test);
  expect(report?.models.map(({ model, input, output, unmetered }) => [model, input, output, unmetered])).toEqual([
    ["m-1", 7, 0, 0],
    ["m-2", 5, 0, 0],
    ["whisper-1", 0, 3, 0],
  ]);
  const shown = async (number: number) => (await show(`${tapeFolder}/00${number}.cassette.json`)).stdout;
  const [vectors, image] = [await shown(1), await shown(2)];
  expect(vectors).toMatch(/"… 12 more"[\s\S]*\nAnswer\n[\s\S]*"… 91 more"/);
  expect(image).toContain("A… 3700 more characters");
  expect(image).toMatch(/\nProvider +(?!OpenAI Chat)/);
  expect(await shown(3)).toMatch(/\nAnswer\naudio\/mpeg, 3 bytes\n$/);
  expect(await shown(4)).toMatch(/\nModel +whisper-1\n[\s\S]*\nAnswer\n[\s\S]*"text": "Bonjour\."/);
  expect(await shown(5)).toMatch(/\nAnswer\nHello there\.\n$/);
});

it("names the day alone of a recording, which has no time, and counts one chunk as one", async () => {
  const body = JSON.stringify(protocols.chat.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
  await tapes.serve((response) => void response.writeHead(200, { "content-type": "application/json" }).end(body));
  const proxy = await tapes.start("auto");
  await tapes.send(protocols.chat, test, turnRequests(protocols.chat)[0] ?? {});
  await proxy.end(test);
  const { stdout } = await show(`${tapeFolder}/001.cassette.json`);
  expect(stdout).toMatch(/^Provenance +recorded, timing measured, \d{4}-\d\d-\d\d$/m);
  expect(stdout).toMatch(/^Body +\d+ bytes in 1 chunk$/m);
});

it("says what is wrong", async () => {
  // One message of all commands that only read tapes.
  const missing = `There is no folder ${join(tapes.folder, "none")} with tapes. Name another one with --tapes, or record tapes: npm run -s tapedeck -- run -- <command>\n`;
  for (const command of [
    "show",
    "show x",
    "audit",
    "drift",
    "compare x --model m",
    "doctor -- true",
    "run --mode record --affected -- true",
  ]) {
    const [name = "", ...args] = command.split(" ");
    const result = await runCommand([name, "--tapes", "none", ...args], { cwd: tapes.folder });
    expect([command, result]).toEqual([command, { code: 2, stdout: "", stderr: missing }]);
  }
  await mkdir(join(tapes.folder, "tapes"));
  const none = await runCli(["show"], { cwd: tapes.folder });
  expect(none).toMatchObject({ code: 0, stdout: expect.stringMatching(/^There are no tapes in .*tapes\. Record one/) });
  expect(JSON.parse((await show("--json")).stdout)).toEqual({ tapes: [] });
  await record("chat", test, "tests/trip.test.ts > packs");
  expect(await show("tests/no.test.ts")).toMatchObject({
    code: 2,
    stderr:
      "tests/no.test.ts is not a recording, a folder or a part of a test's name. npm run -s tapedeck -- show lists the tapes.\n",
  });
  expect(await show("--events")).toMatchObject({ code: 2, stderr: "--events needs the file of a recording.\n" });
  const file = join(tapes.folder, tapeFolder, "002.cassette.json");
  await writeFile(file, (await readFile(file, "utf8")).replace('"title":', '"title" oops:'));
  const broken = await show();
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/002\.cassette\.json:\d+ is not valid JSON/) });
  expect(broken.stdout).toMatch(/^tests\/trip\.test\.ts > packs\n/);
  expect(await show(tapeFolder)).toMatchObject({ code: 1, stdout: "", stderr: broken.stderr });
});
