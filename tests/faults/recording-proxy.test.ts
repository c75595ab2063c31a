import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/index";
import { type ProxyOptions, RecordingProxy, readConfig, type SessionReport } from "#lib/replay/recording-proxy/index";
import { type Json, type Protocol, protocols, question, runTool, turnsOf } from "#tests/support/conversation-protocols";
import { type Answer, type ProviderDouble, stallAfter, startProvider, streamOf } from "#tests/support/provider-double";
import { streamAnswer, turnAnswers, upstreamNames } from "#tests/support/tape-conversations";

type ProtocolName = keyof typeof protocols;
const names = Object.keys(protocols) as ProtocolName[];

let folder: string;
let server: ProviderDouble | undefined;
let proxy: RecordingProxy | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-tapes-"));
});
afterEach(async () => {
  await proxy?.stop();
  await server?.close();
  proxy = undefined;
  server = undefined;
  await rm(folder, { recursive: true });
});

async function startProxy(protocol: Protocol, mode: ProxyOptions["mode"], change: Json = {}): Promise<RecordingProxy> {
  await proxy?.stop();
  const [, variable = ""] = upstreamNames[protocol.provider.name] ?? [];
  const environment = { [variable]: server?.origin ?? "http://127.0.0.1:9" };
  const config = { ...(await readConfig(folder)), ...change };
  proxy = await RecordingProxy.start({ config, mode, environment });
  return proxy;
}

type Sent = { status: number; headers: Headers; text: string };

async function send(protocol: Protocol, test: string, body: Json, headers: Json = {}): Promise<Sent> {
  const { provider } = protocol;
  const [name = ""] = upstreamNames[provider.name] ?? [];
  const { path, query } = provider.upstream.pathOf(body, { model: "m-1", isStream: true });
  const streamed = provider.name === "gemini" ? body : { ...body, stream: true };
  const response = await fetch(`${proxy?.urlOf(test)}/${name}${path}${query === "" ? "" : `?${query}`}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
    body: JSON.stringify(streamed),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Runs a conversation to its end, as a client with tools does. */
async function converse(protocol: Protocol, test: string, prompt = question, headers: Json = {}): Promise<Sent[]> {
  const sent: Sent[] = [];
  const answers = turnAnswers(protocol);
  let request = protocol.requestOf(prompt);
  for (const [index, turn] of turnsOf(protocol.callIds).entries()) {
    const got = await send(protocol, test, request, headers);
    sent.push(got);
    if (got.status !== 200) break;
    const results = turn.calls.map(({ id, name, input }) => ({ id, name, output: runTool(name, input) }));
    request = protocol.continue(request, answers[index] ?? {}, results);
  }
  return sent;
}

const counts = (report: SessionReport | undefined) => ({
  played: report?.played,
  recorded: report?.recorded,
  missed: report?.misses.length,
  unused: report?.unused.length,
});

describe.each(names)("a conversation of %s", (name) => {
  const protocol = protocols[name];

  it("is recorded once, and then replayed with the same bytes and without a connection", async () => {
    server = await startProvider(...turnAnswers(protocol).map((body) => streamAnswer(protocol, body)));
    await startProxy(protocol, "auto");
    const recorded = await converse(protocol, "tests/trip.test.ts > packs");
    expect(recorded.map(({ status, headers }) => [status, headers.get("x-tapedeck")])).toEqual([
      [200, "recorded"],
      [200, "recorded"],
      [200, "recorded"],
    ]);
    expect(recorded.map(({ text }) => text)).toEqual(
      turnAnswers(protocol).map((body) => protocol.provider.unfold(body).events.join("")),
    );
    expect(counts(await proxy?.end("tests/trip.test.ts > packs"))).toEqual({
      played: 0,
      recorded: 3,
      missed: 0,
      unused: 0,
    });
    await server.close();
    server = undefined;

    await startProxy(protocol, "replay");
    for (let run = 0; run < 3; run += 1) {
      await proxy?.begin("tests/trip.test.ts > packs");
      // Another key and user agent make no difference.
      const played = await converse(protocol, "tests/trip.test.ts > packs", question, {
        "user-agent": `run ${run}`,
        "x-api-key": `k${run}`,
      });
      expect(played.map(({ text, headers }) => [text, headers.get("content-type")])).toEqual(
        recorded.map(({ text, headers }) => [text, headers.get("content-type")]),
      );
      expect(counts(await proxy?.end("tests/trip.test.ts > packs"))).toEqual({
        played: 3,
        recorded: 0,
        missed: 0,
        unused: 0,
      });
    }
  });

  it("with another prompt is a miss that names the place", async () => {
    server = await startProvider(...turnAnswers(protocol).map((body) => streamAnswer(protocol, body)));
    await startProxy(protocol, "auto");
    await converse(protocol, "packs");
    await startProxy(protocol, "replay");
    const [missed] = await converse(protocol, "packs", question.replace("Lisbon", "Porto"));
    expect(missed?.status).toBe(424);
    expect(missed?.headers.get("x-should-retry")).toBe("false");
    const { error } = JSON.parse(missed?.text ?? "{}");
    const message = typeof error === "string" ? error : error.message;
    expect(message).toMatch(
      /nearest recording is 001\.cassette\.json:\n {2}\/(messages|input|contents)\/0.*week in Lisbon\?" and is now ".*week in Porto\?"/,
    );
    expect(counts(await proxy?.end("packs"))).toEqual({ played: 0, recorded: 0, missed: 1, unused: 3 });
  });
});

describe("a tape", () => {
  const protocol = protocols.chat;
  const answers = () => turnAnswers(protocol).map((body) => streamAnswer(protocol, body));

  it("has one file an exchange, which continues the one before, and no secret", async () => {
    const secret = "sk-proj-Key0000Key1111Key2222Key3333Key4444";
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    await converse(protocol, "tests/trip.test.ts > packs", `${question} ${secret}`, {
      authorization: `Bearer ${secret}`,
    });
    const path = join(folder, "tapes/tests/trip-test-ts/packs");
    expect(await readdir(path)).toEqual(["001.cassette.json", "002.cassette.json", "003.cassette.json", "tape.json"]);
    const tape = JSON.parse(await readFile(join(path, "tape.json"), "utf8"));
    expect(tape).toMatchObject({
      schema: "tape/1",
      test: "tests/trip.test.ts > packs",
      exchanges: [
        { file: "001.cassette.json", request: "openai-chat POST /v1/chat/completions", parent: null },
        { file: "002.cassette.json", parent: "001.cassette.json" },
        { file: "003.cassette.json", parent: "002.cassette.json" },
      ],
    });
    for (const { file } of tape.exchanges) {
      const text = await readFile(join(path, file), "utf8");
      expect(text).not.toContain("Key1111");
      const { cassette } = parseCassette(Buffer.from(text));
      expect(cassette.provenance.kind).toBe("recorded");
      // One event a line.
      const lines = text.split("\n").filter((line) => line.includes('"s":"data: '));
      expect(lines.every((line) => line.split("data: ").length === 2)).toBe(true);
    }
  });

  it("plays equal requests in the order in which they were recorded, and no more often", async () => {
    const request = protocol.requestOf("Roll a die.");
    const bodies = [1, 2, 3].map((n) => protocol.answerOf({ text: `It is ${n}.`, calls: [] }, `r${n}`));
    const limit: Answer = (response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "20" });
      response.end(JSON.stringify(protocol.provider.errorBody({ status: 429, message: "Slow down.", requestId: "" })));
    };
    server = await startProvider(
      streamAnswer(protocol, bodies[0] ?? {}),
      limit,
      ...bodies.slice(1).map((body) => streamAnswer(protocol, body)),
    );
    await startProxy(protocol, "record");
    const run = async () => {
      const sent: Sent[] = [];
      for (let index = 0; index < 4; index += 1) sent.push(await send(protocol, "dice", request));
      return sent.map(({ status, text }) => [status, text]);
    };
    const recorded = await run();
    expect(recorded.map(([status]) => status)).toEqual([200, 429, 200, 200]);
    await proxy?.end("dice");
    await startProxy(protocol, "replay");
    expect(await run()).toEqual(recorded);
    const again = await send(protocol, "dice", request);
    expect(again.status).toBe(424);
    expect(again.text).toMatch(/was recorded 4 times, and each recording has been played/);
  });

  it("accepts another result of a tool, and says so", async () => {
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    await converse(protocol, "packs");
    await startProxy(protocol, "replay");
    const [first] = turnAnswers(protocol);
    const request = protocol.requestOf(question);
    expect((await send(protocol, "packs", request)).status).toBe(200);
    const [turn] = turnsOf(protocol.callIds);
    const results = (turn?.calls ?? []).map(({ id, name }) => ({ id, name, output: "It rains." }));
    const next = protocol.continue(request, first ?? {}, results);
    expect((await send(protocol, "packs", next)).status).toBe(200);
    expect((await proxy?.end("packs"))?.accepted).toMatchObject([
      { file: "002.cassette.json", differences: [{ pointer: "/messages/2/content", after: "It rains." }] },
    ]);
    await proxy?.begin("packs", { exact: true });
    await send(protocol, "packs", request);
    expect((await send(protocol, "packs", next)).status).toBe(424);
  });

  it("does not accept a long result of a tool that hides another difference", async () => {
    const { gemini } = protocols;
    server = await startProvider(streamAnswer(gemini, gemini.answerOf({ text: "Hi", calls: [] }, "g1")));
    await startProxy(gemini, "auto");
    const request = (value: number, system: string) => {
      const functionResponse = { name: "f", response: { rows: Array.from({ length: 200 }, () => value) } };
      return {
        contents: [{ role: "user", parts: [{ functionResponse }] }],
        systemInstruction: { parts: [{ text: system }] },
      };
    };
    await send(gemini, "packs", request(1, "Be kind."));
    await startProxy(gemini, "replay");
    expect((await send(gemini, "packs", request(2, "Be cruel."))).status).toBe(424);
    expect((await send(gemini, "packs", request(2, "Be kind."))).status).toBe(200);
  });

  it("is read again when the test begins again, with the fields that the test declares now", async () => {
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    const request = (seed: number) => ({ ...protocol.requestOf(question), seed });
    await send(protocol, "packs", request(1));
    await proxy?.begin("packs", { mode: "replay" });
    expect((await send(protocol, "packs", request(2))).status).toBe(424);
    await proxy?.begin("packs", { mode: "replay", volatile: ["/seed"] });
    expect((await send(protocol, "packs", request(2))).status).toBe(200);
  });

  it("belongs to one test", async () => {
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    await send(protocol, "packs a bag", protocol.requestOf(question));
    const other = await send(protocol, "packs-a-bag", protocol.requestOf(question));
    expect(other.status).toBe(500);
    expect(other.text).toContain('is the tape of \\"packs a bag\\". Rename this test or that one');
  });

  it("has no secret of a body that is no JSON object", async () => {
    server = await startProvider((response) => void response.end("{}"));
    await startProxy(protocol, "auto");
    const key = `sk-proj-${"A1".repeat(25)}`;
    for (const body of [JSON.stringify([{ key }]), `key=${key}&n=1`]) {
      await (await fetch(`${proxy?.baseUrl("packs", "openai")}/files`, { method: "POST", body })).text();
    }
    expect((await proxy?.end("packs"))?.redactions).toBe(2);
    const files = ["001", "002"].map((name) => readFile(join(folder, `tapes/packs/${name}.cassette.json`), "utf8"));
    for (const text of await Promise.all(files)) expect(text).not.toContain("A1A1");
  });

  it("plays more than 999 equal requests in their order", async () => {
    const path = join(folder, "tapes/packs");
    server = await startProvider(
      ...["a", "b"].map((text) => streamAnswer(protocol, protocol.answerOf({ text, calls: [] }, text))),
    );
    await startProxy(protocol, "auto");
    await send(protocol, "packs", protocol.requestOf(question));
    // The next file after the last of three digits.
    const list = JSON.parse(await readFile(join(path, "tape.json"), "utf8"));
    await rename(join(path, "001.cassette.json"), join(path, "999.cassette.json"));
    list.exchanges[0].file = "999.cassette.json";
    await writeFile(join(path, "tape.json"), JSON.stringify(list));
    await proxy?.begin("packs");
    const texts = [
      await send(protocol, "packs", protocol.requestOf(question)),
      await send(protocol, "packs", protocol.requestOf(question)),
    ];
    expect((await readdir(path)).sort()).toEqual(["1000.cassette.json", "999.cassette.json", "tape.json"]);
    await proxy?.begin("packs");
    for (const { text } of texts) expect((await send(protocol, "packs", protocol.requestOf(question))).text).toBe(text);
  });

  it("ignores declared fields, and nothing else", async () => {
    await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ volatile: ["/messages/*/name", "/seed"] }));
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    const request = (seed: number, temperature: number) => ({
      ...protocol.requestOf(question),
      messages: [{ role: "user", content: question, name: `user-${seed}` }],
      seed,
      temperature,
    });
    await send(protocol, "packs", request(1, 0));
    await startProxy(protocol, "replay");
    const missed = await send(protocol, "packs", request(2, 1));
    expect(missed.text).toContain("/temperature was 0 and is now 1");
    expect((await send(protocol, "packs", request(2, 0))).status).toBe(200);
  });

  it("has answers of configured servers, whose base URL may end with the version", async () => {
    server = await startProvider(...answers());
    const upstreams = { gateway: { url: `${server.origin}/llm/v1`, provider: "openai-chat" } };
    await startProxy(protocol, "auto", { upstreams });
    const response = await fetch(`${proxy?.baseUrl("packs", "gateway")}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ ...protocol.requestOf(question), stream: true }),
    });
    expect(await response.text()).toContain("[DONE]");
    expect(server.requests.map(({ path }) => path)).toEqual(["/llm/v1/chat/completions"]);
    const { cassette } = parseCassette(await readFile(join(folder, "tapes/packs/001.cassette.json")));
    expect(cassette).toMatchObject({ provider: "openai-chat", request: { path: "/v1/chat/completions" } });
  });

  it("names the differences in mode auto too, if the provider cannot be asked", async () => {
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    await converse(protocol, "packs");
    await server.close();
    server = undefined;
    await startProxy(protocol, "auto");
    const failed = await send(protocol, "packs", protocol.requestOf("What should I pack for a week in Porto?"));
    expect(failed.status).toBe(502);
    expect(JSON.parse(failed.text).error.message).toMatch(
      /\/messages\/0\/content was .*Porto[\s\S]*It could not be recorded: .* could not be reached/,
    );
    expect(counts(await proxy?.end("packs"))).toEqual({ played: 0, recorded: 0, missed: 1, unused: 3 });
  });

  it("keeps the fields that its own file declares when it is recorded again", async () => {
    server = await startProvider(...answers(), ...answers());
    await startProxy(protocol, "auto");
    await converse(protocol, "packs");
    const path = join(folder, "tapes/packs/tape.json");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"volatile": []', '"volatile": ["/seed"]'));
    await startProxy(protocol, "record");
    await converse(protocol, "packs");
    await proxy?.end("packs");
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ volatile: ["/seed"], exchanges: [{}, {}, {}] });
  });

  it("is replaced only when the test has passed, in mode record", async () => {
    server = await startProvider(...answers(), ...answers());
    await startProxy(protocol, "record");
    await converse(protocol, "packs");
    await proxy?.end("packs", true);
    const path = join(folder, "tapes/packs/tape.json");
    const before = await readFile(path, "utf8");
    await proxy?.begin("packs");
    await send(protocol, "packs", protocol.requestOf("Something else."));
    await proxy?.end("packs", false);
    expect(await readFile(path, "utf8")).toBe(before);
    await proxy?.begin("packs");
    await send(protocol, "packs", protocol.requestOf("Something else."));
    await proxy?.end("packs", true);
    expect(JSON.parse(await readFile(path, "utf8")).exchanges).toHaveLength(1);
    expect((await readdir(join(folder, "tapes"))).sort()).toEqual(["packs"]);
  });

  it("has a fault where the test asks for one", async () => {
    server = await startProvider(...answers());
    await startProxy(protocol, "auto");
    await converse(protocol, "packs");
    await proxy?.begin("packs", {
      faults: [
        { call: 1, status: 529, retryAfterS: 1 },
        { call: 2, afterEvent: 2, do: "error" },
      ],
    });
    const request = protocol.requestOf(question);
    const failed = await send(protocol, "packs", request);
    expect([failed.status, failed.headers.get("retry-after")]).toEqual([529, "1"]);
    const broken = await send(protocol, "packs", request);
    expect(broken.text.split("\n\n").length).toBe(4);
    expect(broken.text).toContain("because the test asks for it");
    await proxy?.begin("packs", { faults: [{ call: 1, afterEvent: 2, do: "cut" }] });
    await expect(send(protocol, "packs", request)).rejects.toThrow();
  });
});

describe("what cannot be stored", () => {
  const protocol = protocols.anthropic;

  it.each<[string, Answer, number | RegExp, RegExp]>([
    [
      "a refused key",
      (response) => void response.writeHead(401, { "content-type": "application/json" }).end("{}"),
      401,
      /refused with 401 and not stored: check the API key/,
    ],
    [
      "a redirect",
      (response) => void response.writeHead(307, { location: "http://127.0.0.1:9/elsewhere" }).end(),
      /fetch failed/,
      /redirected with 307 and not stored/,
    ],
    [
      "a stream that ends too early",
      streamOf(Buffer.from('event: message_start\ndata: {"type":"message_start","message":{}}\n\n')),
      200,
      /was not stored: it ended before the answer was complete/,
    ],
    [
      "a cut connection",
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream", "content-length": "9999" });
        response.write("event: ping\ndata: {}\n\n", () => response.destroy());
      },
      /terminated|aborted/,
      /was not stored: /,
    ],
  ])("%s is passed on and told", async (_name, answer, expected, note) => {
    server = await startProvider(answer);
    await startProxy(protocol, "auto");
    const sent = send(protocol, "packs", protocol.requestOf(question));
    if (typeof expected === "number") expect((await sent).status).toBe(expected);
    else await expect(sent).rejects.toThrow(expected);
    expect((await proxy?.end("packs"))?.notes.join()).toMatch(note);
    expect(await readdir(folder)).toEqual([]);
  });

  it("an upstream that is down is an error that is not retried", async () => {
    await startProxy(protocol, "auto");
    const { status, headers, text } = await send(protocol, "packs", protocol.requestOf(question));
    expect([status, headers.get("x-should-retry")]).toEqual([502, "false"]);
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:9 could not be reached: ECONNREFUSED/);
  });

  it("a tape that was edited by hand is named with its line", async () => {
    server = await startProvider(...turnAnswers(protocol).map((body) => streamAnswer(protocol, body)));
    await startProxy(protocol, "auto");
    await converse(protocol, "packs");
    const path = join(folder, "tapes/packs/002.cassette.json");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"title":', '"title" oops:'));
    await startProxy(protocol, "replay");
    const broken = await send(protocol, "packs", protocol.requestOf(question));
    expect(broken.status).toBe(500);
    expect(broken.text).toMatch(/002\.cassette\.json:4 is not valid JSON/);
    await writeFile(path, text.replace("data: ", "dada: "));
    const [first, second] = await converse(protocol, "packs");
    expect([first?.status, second?.status]).toEqual([200, 500]);
    expect(second?.text).toMatch(/002\.cassette\.json integrity\.body_sha256 does not match/);
  });

  it("a URL whose test is not encoded correctly is refused, and the proxy goes on", async () => {
    await startProxy(protocol, "auto");
    const broken = await fetch(`${proxy?.origin}/t/%zz/anthropic/v1/messages`);
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { error: "The name of the test in the URL is not encoded correctly." },
    ]);
    expect((await fetch(`${proxy?.origin}/other`)).status).toBe(404);
  });

  it("an answer that never ends does not hold up the test that begins again", async () => {
    const [first = Buffer.alloc(0)] = protocol.provider
      .unfold(turnAnswers(protocol)[0] ?? {})
      .events.map((event) => Buffer.from(event));
    server = await startProvider(stallAfter(first));
    await startProxy(protocol, "auto");
    const hanging = send(protocol, "packs", protocol.requestOf(question)).catch(() => "ended");
    await expect.poll(() => server?.requests.length).toBe(1);
    await proxy?.begin("packs");
    expect(await hanging).toBe("ended");
    expect(await readdir(folder)).toEqual([]);
  });

  it("requests of web pages and of unknown upstreams are refused", async () => {
    await startProxy(protocol, "auto");
    const page = await fetch(`${proxy?.origin}/anthropic/v1/messages`, { headers: { origin: "https://example.com" } });
    expect(page.status).toBe(403);
    const unknown = await fetch(`${proxy?.origin}/other/v1/messages`);
    expect(await unknown.json()).toEqual({
      error: 'There is no upstream "other". The proxy has /anthropic, /openai, /gemini, /ollama.',
    });
  });
});
