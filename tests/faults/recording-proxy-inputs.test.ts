import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { parseCassette } from "#lib/replay/cassettes/index";
import { type Mode, RecordingProxy, readConfig, Tape, tokenHeader } from "#lib/replay/recording-proxy/index";
import { protocols, question } from "#tests/support/conversation-protocols";
import { isExtended } from "#tests/support/extended";
import { listen } from "#tests/support/listen";
import { type Answer, type ReceivedRequest, streamOf } from "#tests/support/provider-double";
import { runCli } from "#tests/support/run-cli";
import { selfSigned } from "#tests/support/self-signed";
import { ask } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const protocol = protocols.anthropic;
const { events, contentType } = protocol.provider.unfold(protocol.answerOf({ text: "Sunscreen ☔.", calls: [] }, "a1"));
const body = Buffer.from(events.join(""));
/** Streams bytes as the provider's events. */
const stream = (bytes: Uint8Array, headers = {}) =>
  streamOf(bytes, { headers: { "content-type": contentType, ...headers } });
const answer = stream(body);
const requestOf = (prompt: string) => JSON.stringify({ ...protocol.requestOf(prompt), stream: true });

const tapes = setUpProxy();
const send = (prompt = question, proxy = tapes.proxy) =>
  ask(protocol, proxy.urlOf("packs"), protocol.requestOf(prompt));
const listTapes = async () => (await readdir(join(tapes.folder, "tapes"), { recursive: true })).sort();

describe("an upstream with TLS", () => {
  let certPath: string;
  let origin: string;

  beforeEach(async () => {
    const certificate = selfSigned(tapes.folder);
    certPath = certificate.certPath;
    const tls = createTlsServer(certificate, (request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": contentType }).end(body);
    });
    origin = `https://127.0.0.1:${await listen(tls)}`;
  });

  const upstreams = (url: string) => ({ upstreams: { anthropic: { url, provider: "anthropic" } } });

  it("whose certificate is self-signed is named with what to do, in the answer and in the report", async () => {
    const proxy = await tapes.start("auto", upstreams(origin));
    const message = `${origin} could not be reached: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Name the file of its certificate authority in NODE_EXTRA_CA_CERTS`;
    const refused = await send();
    expect([refused.status, refused.headers["x-should-retry"]]).toEqual([502, "false"]);
    expect(JSON.parse(refused.text).error.message).toContain(message);
    expect(await proxy.end("packs")).toMatchObject({ misses: [{ failure: `${message}.` }], notes: [] });
    expect(await readdir(tapes.folder)).not.toContain("tapes");
  });

  it("is recorded where its certificate is declared", async () => {
    const send = `const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", body: process.argv[1] });
      process.stdout.write(await response.text());`;
    const command = ["run", "--", process.execPath, "-e", send, requestOf(question)];
    const environment = { CI: undefined, ANTHROPIC_BASE_URL: origin, NODE_EXTRA_CA_CERTS: certPath };
    expect(await runCli(command, { cwd: tapes.folder, environment })).toEqual({
      code: 0,
      stdout: body.toString(),
      stderr: expect.stringMatching(/^tapedeck: 0 played, 1 recorded, 0 missed, 0 unused\n {2}spent: /),
    });
  });

  it("that speaks no TLS at all is named", async () => {
    const server = await tapes.serve(answer);
    await tapes.start("auto", upstreams(server.origin.replace("http:", "https:")));
    expect(JSON.parse((await send()).text).error.message).toMatch(/could not be reached: .*(EPROTO|WRONG_VERSION)/);
  });
});

describe("a stream that is not valid", () => {
  const [start = "", ...rest] = events;
  it.each([
    ["an event that is no JSON", 'event: content_block_delta\ndata: {"type":"content_b\n\n'],
    ["an event that is an array", "data: [1]\n\n"],
  ])("%s is stored as it was sent, and told", async (_name, event) => {
    const malformed = [start, event, ...rest].join("");
    await tapes.serve(stream(Buffer.from(malformed)));
    const proxy = await tapes.start("auto");
    expect((await send()).text).toBe(malformed);
    const note = "Events of the answer to POST /v1/messages that are no JSON objects, stored as sent: 1.";
    expect(await proxy.end("packs")).toMatchObject({ recorded: 1, notes: [note] });
    await tapes.start("replay");
    expect((await send()).text).toBe(malformed);
  });

  const cut = "it ended before the answer was complete";
  const headOf = (type: string): [number, Record<string, string>] => [200, { "content-type": type }];
  it.each<[string, Answer, string | RegExp]>([
    ["a page of a login portal", (response) => void response.writeHead(...headOf("text/html")).end("<h1>Sign in"), cut],
    ["an empty answer", stream(Buffer.alloc(0)), cut],
    ["a last event without its empty line", stream(body.subarray(0, -1)), cut],
    ["half a JSON object", (response) => void response.writeHead(...headOf("application/json")).end('{"type":'), cut],
    ["half of gzip", stream(gzipSync(body).subarray(0, -40), { "content-encoding": "gzip" }), cut],
    ["what is no gzip", stream(body, { "content-encoding": "gzip" }), /The response is not valid gzip/],
  ])("%s is passed on, told and not stored", async (_name, sent, note) => {
    await tapes.serve(sent);
    const proxy = await tapes.start("auto");
    // `fetch` would decode the answer, and may not end where that is not possible.
    const post = async (baseUrl: string) => {
      const request = httpRequest(`${baseUrl}/v1/messages`, { method: "POST" });
      request.end(requestOf(question));
      const [response] = (await once(request, "response")) as [IncomingMessage];
      const { statusCode, headers } = response;
      return [statusCode, headers["content-encoding"], Buffer.concat(await response.toArray()).toString("latin1")];
    };
    const passed = await post(proxy.baseUrl("packs", "anthropic"));
    expect(passed).toEqual(await post(tapes.server.origin));
    expect(passed[0]).toBe(200);
    const { recorded, notes } = (await proxy.end("packs")) ?? {};
    expect([recorded, notes?.length]).toEqual([0, 1]);
    expect(notes?.[0]).toMatch(/^The answer to POST \/v1\/messages was not stored: .*[^.]\.$/);
    expect(notes?.[0]).toMatch(note);
    expect(await readdir(tapes.folder)).toEqual([]);
  });
});

it("a key without a known form that the answer repeats in pieces is masked in the file", async () => {
  const key = "correct-horse-battery-staple";
  const pieces = [...key].map((text) => protocol.provider.unfold(protocol.answerOf({ text, calls: [] }, "a1")).events);
  const [first = []] = pieces;
  const at = first.findIndex((event) => event.includes("text_delta"));
  const deltas = pieces.map((all) => all[at] ?? "");
  const echo = [...first.slice(0, at), ...deltas, ...first.slice(at + 1)].join("");
  await tapes.serve(streamOf(Buffer.from(echo), { headers: { "content-type": contentType }, chunkBytes: 7 }));
  await tapes.start("auto");
  const sent = await ask(protocol, tapes.proxy.urlOf("packs"), protocol.requestOf(question), { "x-api-key": key });
  expect(sent.text).toBe(echo);
  const { cassette, chunks } = parseCassette(await readFile(join(tapes.folder, "tapes/packs/001.cassette.json")));
  expect(cassette.request.redactions).toMatchObject([{ rule: "api-key", byte_length: key.length }]);
  expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(
    echo.replace(/("text_delta","text":")[^"]"/g, '$1*"'),
  );
});

it("the values of variables for secrets are masked, and short ones and others are not", async () => {
  const { origin } = await tapes.serve(answer);
  const variables = { DB_PASSWORD: "correct horse battery", APP_TOKEN: "twelve chars", APP_NAME: "a name of an app" };
  const environment = { ANTHROPIC_BASE_URL: origin, ...variables };
  const proxy = await RecordingProxy.start({ config: await readConfig(tapes.folder), mode: "auto", environment });
  const said = Object.values(variables).join(", ");
  await send(said, proxy);
  await proxy.stop();
  const stored = await readFile(join(tapes.folder, "tapes/packs/001.cassette.json"), "utf8");
  expect(stored).toContain(said.replace(variables.DB_PASSWORD, "*".repeat(21)));
});

it("an answer that is compressed although identity was asked for is stored decoded, and replayed without the encoding", async () => {
  const headers = { "content-type": contentType, "content-encoding": "gzip" };
  const server = await tapes.serve(streamOf(gzipSync(body), { headers, chunkBytes: 40 }));
  const proxy = await tapes.start("auto");
  // `fetch` decodes it, which is possible only with the upstream's own header.
  const recorded = await send();
  expect([recorded.text, recorded.headers["content-encoding"]]).toEqual([body.toString(), "gzip"]);
  expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
  expect(await proxy.end("packs")).toMatchObject({ recorded: 1, notes: [] });
  const { cassette } = parseCassette(await readFile(join(tapes.folder, "tapes/packs/001.cassette.json")));
  expect(Object.keys(cassette.response.headers)).not.toContain("content-encoding");
  await tapes.start("replay");
  const replayed = await send();
  expect([replayed.text, replayed.headers["content-encoding"]]).toEqual([body.toString(), undefined]);
});

describe("a request", () => {
  /** Sends a body in pieces without waiting for the answer to it, as clients do. */
  async function upload(proxy: RecordingProxy, byteSize: number) {
    const request = httpRequest(`${proxy.baseUrl("packs", "anthropic")}/v1/messages`, {
      method: "POST",
      headers: { "content-length": byteSize },
    });
    const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      request.on("error", reject);
      request.on("response", async (response) => resolve({ status: response.statusCode, text: await text(response) }));
    });
    const piece = Buffer.alloc(1024 * 1024, 32);
    answered.catch(() => undefined);
    for (let sent = 0; sent < byteSize && !request.destroyed; sent += piece.length) {
      await new Promise((written) => request.write(piece.subarray(0, byteSize - sent), written));
    }
    request.end();
    return answered;
  }

  it("of 33 MiB is passed on, and counts as missed", async () => {
    const server = await tapes.serve(answer);
    const proxy = await tapes.start("auto");
    expect(await upload(proxy, 33 * 1024 * 1024)).toEqual({ status: 200, text: body.toString() });
    expect(server.requests[0]?.headers["content-length"]).toBe(`${33 * 1024 * 1024}`);
    expect(await proxy.end("packs")).toMatchObject({
      recorded: 0,
      unwritten: 1,
      notes: ["The answer to POST /v1/messages was not stored: the request is larger than 32 MiB."],
    });
  });

  it("of 40 MiB whose client leaves after 33 does not stop the proxy", async () => {
    await tapes.serve(answer);
    const proxy = await tapes.start("auto");
    const request = httpRequest(`${proxy.baseUrl("packs", "anthropic")}/v1/messages`, {
      method: "POST",
      headers: { "content-length": 40 * 1024 * 1024 },
    });
    request.on("error", () => undefined);
    await new Promise((written) => request.write(Buffer.alloc(33 * 1024 * 1024), written));
    request.destroy();
    expect((await send()).text).toBe(body.toString());
    expect(await proxy.end("packs")).toMatchObject({ recorded: 1, unwritten: 1 });
  });

  it("of 33 MiB is refused in a replay with a message that the client gets, and the proxy goes on", async () => {
    const server = await tapes.serve(answer);
    await tapes.start("auto");
    await send();
    const proxy = await tapes.start("replay");
    server.requests.length = 0;
    const { status, text: refusal } = await upload(proxy, 33 * 1024 * 1024);
    expect([status, JSON.parse(refusal).error.message]).toEqual([413, "The request is larger than 32 MiB."]);
    expect(server.requests).toEqual([]);
    expect((await send()).text).toBe(body.toString());
    expect(await proxy.end("packs")).toMatchObject({
      misses: [{ request: "POST /v1/messages", reason: "The request is larger than 32 MiB" }],
    });
  });

  it("of 48 MiB is read to its end, so that the client gets the error of a server that cannot be reached", async () => {
    const proxy = await tapes.start("auto");
    expect(await upload(proxy, 48 * 1024 * 1024)).toMatchObject({
      status: 502,
      text: expect.stringContaining("could not be reached"),
    });
  });

  it("nested beyond the bound of JSON is recorded as text, and played", async () => {
    await tapes.serve(answer);
    const nested = requestOf(question).replace("{", `{"metadata":${"[".repeat(10_000)}${"]".repeat(10_000)},`);
    const post = async () => {
      const url = `${tapes.proxy.baseUrl("packs", "anthropic")}/v1/messages`;
      const response = await fetch(url, { method: "POST", body: nested });
      return [response.status, response.headers.get("x-tapedeck"), await response.text()];
    };
    await tapes.start("auto");
    expect(await post()).toEqual([200, "recorded", body.toString()]);
    await tapes.start("replay");
    expect(await post()).toEqual([200, "played", body.toString()]);
  });

  it.runIf(isExtended)("of 32 MiB is recorded", async () => {
    await tapes.serve(answer);
    const proxy = await tapes.start("auto");
    const { status } = await upload(proxy, 32 * 1024 * 1024);
    expect(status).toBe(200);
    expect((await proxy.end("packs"))?.recorded).toBe(1);
  });
});

describe("a request to control the proxy", () => {
  const withFault = (fault: string) => `{"faults":[{"call":1,${fault}}]}`;

  it.each<[string, string, RegExp]>([
    ["begin", "{", /^The body is not valid JSON: /],
    ["begin", '{"mode":"fast"}', /^mode: must be /],
    ["begin", withFault('"jitterMs":60001'), /^faults\.0\.jitterMs: /],
    ["begin", withFault('"jitterMs":-1'), /^faults\.0\.jitterMs: /],
    ["begin", withFault('"jitterMs":1,"seed":4294967296'), /^faults\.0\.seed: /],
    ["begin", withFault('"seed":0.5'), /^faults\.0\.seed: /],
    ["begin", withFault('"status":529,"stallMs":5'), /status can only be combined with retryAfterS/],
    ["begin", withFault('"status":529,"afterEvent":0,"do":"cut"'), /status can only be combined with retryAfterS/],
    ["begin", withFault('"status":529,"rechunk":1'), /status can only be combined with retryAfterS/],
    ["begin", withFault('"status":529,"jitterMs":1'), /status can only be combined with retryAfterS/],
    ["end", "{", /^The body is not valid JSON: /],
    ["end", '{"passed":"yes"}', /^passed: must be a boolean$/],
    ["end", "[]", /^the options: must be an object$/],
  ])("%s with the body %s is refused with the reason", async (action, sent, error) => {
    const proxy = await tapes.start("replay");
    const init = { method: "POST", headers: { [tokenHeader]: proxy.token }, body: sent };
    const response = await fetch(`${proxy.urlOf("packs")}/__tapedeck/${action}`, init);
    expect([response.status, await response.json()]).toEqual([400, { error: expect.stringMatching(error) }]);
  });
});

describe("a tape", () => {
  it("that cannot be read is an error in the provider's format, and the summary tells it", async () => {
    await writeFile(join(tapes.folder, "tapes"), "not a folder");
    const proxy = await tapes.start("auto");
    const { status, headers, text: refusal } = await send();
    expect([status, headers["x-should-retry"]]).toEqual([500, "false"]);
    const message = expect.stringMatching(/tapes\/packs cannot be read: ENOTDIR/);
    expect(JSON.parse(refusal)).toMatchObject({ type: "error", error: { message } });
    expect(await proxy.stop()).toMatchObject([{ test: "packs", notes: [message] }]);
  });

  it("that cannot be read, or whose process has ended, does not keep the requests of an app", async () => {
    await mkdir(join(tapes.folder, "tapes/broken"), { recursive: true });
    await writeFile(join(tapes.folder, "tapes/broken/tape.json"), "{");
    const proxy = await tapes.start("auto");
    await expect(proxy.begin("broken", { app: true })).rejects.toThrow("tape.json");
    const ended = spawn(process.execPath, ["--version"]);
    await once(ended, "exit");
    await proxy.begin("crashed", { app: true, process: `${ended.pid}-0` });
    const here = { app: true, process: `${process.pid}-0` };
    await proxy.begin("runs", here);
    await expect(proxy.begin("packs", here)).rejects.toThrow('those of the test "runs"');
    await ask(protocol, proxy.origin, protocol.requestOf(question));
    expect(await proxy.end("runs")).toMatchObject({ requests: 1 });
  });

  it("that gets none of the requests with a base URL of the environment is named in the summary", async () => {
    const proxy = await tapes.start("auto");
    for (const test of ["first", "second", "third"]) await proxy.begin(test, { process: test });
    await ask(protocol, proxy.urlOf("third"), protocol.requestOf(question));
    await ask(protocol, proxy.origin, protocol.requestOf(question));
    for (const test of ["first", "second", "third"]) await proxy.end(test);
    await proxy.begin("later", { process: "later" });
    const [byDefault, ...others] = await proxy.stop();
    expect(byDefault).toMatchObject({
      test: "default",
      notes: [
        expect.stringMatching(
          /such as OPENAI_BASE_URL, or of tests that run at once, are on this tape, and that of the test "first" got none: give its clients t\.openai.*The same for 1 more\.$/,
        ),
      ],
    });
    expect(others.flatMap(({ notes }) => notes)).toEqual([]);
  });

  it("has the answer to a client that left before it came, and the summary says so", async () => {
    const responses: ServerResponse[] = [];
    const see = (message: unknown) => responses.push((message as { response: ServerResponse }).response);
    subscribe("http.server.request.start", see);
    onTestFinished(() => void unsubscribe("http.server.request.start", see));
    const client = new AbortController();
    await tapes.serve(async (response, received) => {
      const left = once(responses[0]!, "close");
      client.abort();
      await left;
      await answer(response, received);
    });
    const proxy = await tapes.start("auto");
    const url = `${proxy.baseUrl("packs", "anthropic")}/v1/messages`;
    const headers = { "content-type": "application/json" };
    const sent = fetch(url, { method: "POST", headers, body: requestOf(question), signal: client.signal });
    await expect(sent).rejects.toThrow();
    const note = expect.stringMatching(
      /^The client of POST \/v1\/messages left before the answer came\. .*firstByteMs/,
    );
    expect(await proxy.end("packs")).toMatchObject({ recorded: 1, notes: [note] });
  });

  it("whose test ends while its answer goes on counts the answer as missed", async () => {
    await tapes.serve((response) => {
      response.writeHead(200, { "content-type": contentType });
      response.write(events[0]);
    });
    const proxy = await tapes.start("auto");
    await proxy.begin("packs");
    const client = new AbortController();
    const headers = { "content-type": "application/json" };
    const url = `${proxy.baseUrl("packs", "anthropic")}/v1/messages`;
    const sent = await fetch(url, { method: "POST", headers, body: requestOf(question), signal: client.signal });
    await sent.body?.getReader().read();
    client.abort();
    await proxy.begin("packs");
    expect(await proxy.stop()).toMatchObject([
      { recorded: 0, unwritten: 1, notes: [expect.stringContaining("the test ended 1 s before it was complete")] },
    ]);
  });

  it.each(["tapes", "tapes/packs"])(
    "that cannot be created, since %s is a file: the client gets its answer, and the summary tells it",
    async (path) => {
      await tapes.serve(async (response, received) => {
        await mkdir(join(tapes.folder, path, ".."), { recursive: true });
        await writeFile(join(tapes.folder, path), "not a folder");
        await answer(response, received);
      });
      const proxy = await tapes.start("auto");
      await proxy.begin("packs");
      for (let call = 0; call < 2; call += 1) expect((await send()).text).toBe(body.toString());
      const note = expect.stringMatching(
        /^The answer to POST \/v1\/messages was not stored: \S+\/tapes\/packs\/00\d\.cassette\.json: a part of the path is a file, not a folder\.$/,
      );
      expect(await proxy.end("packs")).toMatchObject({ recorded: 0, unwritten: 2, notes: [note, note] });
    },
  );

  it.each([
    ["at once", 1, { recorded: 1, notes: [expect.stringMatching(/was not stored: .*tape\.json: it is a folder\.$/)] }],
    [
      // That of a long tape is written when the test ends.
      "at the end",
      51,
      { recorded: 52, notes: [expect.stringMatching(/^The list of recordings was not written: .*it is a folder\.$/)] },
    ],
  ])("whose list cannot be written %s counts once, however often the test ends", async (_when, callCount, expected) => {
    await tapes.serve(answer);
    const proxy = await tapes.start("auto");
    await proxy.begin("packs");
    for (let call = 0; call < callCount; call += 1) await send(String(call));
    await proxy.end("packs");
    const list = join(tapes.folder, "tapes/packs/tape.json");
    await rm(list);
    await mkdir(list);
    await send("another");
    for (let end = 0; end < 2; end += 1) expect(await proxy.end("packs")).toMatchObject({ unwritten: 1, ...expected });
    expect(await proxy.stop()).toMatchObject([{ unwritten: 1, ...expected }]);
  });

  const callCount = 60;
  /** Asks many times; the program's files may not be larger than some blocks, as if the disk were full. */
  async function runLimited(mode: Mode) {
    const server = await tapes.serve(answer);
    const cli = [process.execPath, resolve("lib/cli/tapedeck.mjs"), "proxy", "--mode", mode];
    const child = spawn("sh", ["-c", 'ulimit -f 10; exec "$@"', "sh", ...cli], {
      cwd: tapes.folder,
      env: childEnvironment({ CI: undefined, ANTHROPIC_BASE_URL: server.origin }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines = createInterface(child.stdout);
    const errors = text(child.stderr);
    let baseUrl: string | undefined;
    for await (const line of lines) {
      [, baseUrl] = /^ANTHROPIC_BASE_URL=(.*)/.exec(line) ?? [];
      if (baseUrl) break;
    }
    for (let call = 0; call < callCount; call += 1) {
      const sent = requestOf(question).replace("Lisbon", String(call));
      const response = await fetch(`${baseUrl}/v1/messages`, { method: "POST", body: sent });
      expect(await response.text()).toBe(body.toString());
    }
    child.kill("SIGINT");
    const [stderr] = await Promise.all([errors, once(child, "exit")]);
    expect(child.exitCode).toBe(0);
    const [, recorded, missed] = /0 played, (\d+) recorded, (\d+) missed, 0 unused\n/.exec(stderr) ?? [];
    const notes = stderr.match(
      / {2}default: The answer to POST \/v1\/messages was not stored: \S+: the file is larger than this file system or process may write\.(?: The same for \d+ more\.)?\n/g,
    );
    expect(notes?.length ?? 0).toBeLessThanOrEqual(1);
    const [, more = 0] = /The same for (\d+) more\./.exec(stderr) ?? [];
    const noteCount = (notes?.length ?? 0) + Number(more);
    expect(Number(missed)).toBe(noteCount);
    return { recordedCount: Number(recorded), noteCount, stderr };
  }

  it("on a disk that gets full has what the summary says, and nothing half", async () => {
    const { recordedCount, noteCount } = await runLimited("auto");
    expect(recordedCount).toBeGreaterThan(0);
    expect(noteCount).toBeGreaterThan(0);
    expect(recordedCount + noteCount).toBe(callCount);
    const path = join(tapes.folder, "tapes/default");
    const { exchanges } = JSON.parse(await readFile(join(path, "tape.json"), "utf8"));
    expect(exchanges).toHaveLength(recordedCount);
    const files = exchanges.map(({ file }: { file: string }) => file);
    expect((await readdir(path)).sort()).toEqual([...files, "tape.json"]);
    expect((await Tape.open({ root: path, folder: path }, "default")).exchanges).toHaveLength(recordedCount);
  });

  it("is not replaced in mode record when not every answer could be stored", async () => {
    const path = join(tapes.folder, "tapes/default");
    await mkdir(path, { recursive: true });
    const old = JSON.stringify({ schema: "tape/1", test: "default", exchanges: [] });
    await writeFile(join(path, "tape.json"), old);
    const { stderr } = await runLimited("record");
    expect(stderr).toContain("  default: Its old tape stays, since not every answer could be stored.\n");
    expect(await listTapes()).toEqual(["default", "default/tape.json"]);
    expect(await readFile(join(path, "tape.json"), "utf8")).toBe(old);
  });
});

describe("two runs on one tape at once", () => {
  it("each store their answers, under the next free names", async () => {
    await tapes.serve(answer);
    const runs: RecordingProxy[] = [await tapes.open("auto"), await tapes.open("auto")];
    // Both read the empty tape before either writes.
    await Promise.all(runs.map((run) => run.begin("packs")));
    const prompts = ["one", "two", "three", "four"];
    for (const prompt of prompts) {
      for (const sent of await Promise.all(runs.map((run) => send(prompt, run))))
        expect(sent.text).toBe(body.toString());
    }
    const reports = await Promise.all(runs.map((run) => run.end("packs")));
    expect(reports.reduce((sum, report) => sum + (report?.recorded ?? 0), 0)).toBe(8);
    expect(reports.map((report) => report?.notes)).toEqual([[], []]);
    const files = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `packs/00${number}.cassette.json`);
    expect(await listTapes()).toEqual(["packs", ...files, "packs/tape.json"]);
    const replaying = await tapes.start("replay");
    for (const prompt of [...prompts, ...prompts]) expect((await send(prompt)).text).toBe(body.toString());
    expect(await replaying.end("packs")).toMatchObject({ played: 8, misses: [], unused: [] });
  });

  it("in mode record, one of the two tapes remains, whole", async () => {
    const path = join(tapes.folder, "tapes/packs");
    const list = JSON.stringify({ schema: "tape/1", test: "packs", exchanges: [] });
    for (const name of ["", ".new-1", ".new-2", ".new-3", ".new-4"]) {
      await mkdir(`${path}${name}`, { recursive: true });
      await writeFile(join(`${path}${name}`, "tape.json"), list);
    }
    const written = await Promise.all(
      [1, 2, 3, 4].map((number) => Tape.open({ root: tapes.folder, folder: `${path}.new-${number}` }, "packs")),
    );
    await Promise.all(written.map((tape) => tape.moveTo(path)));
    expect(await listTapes()).toEqual(["packs", "packs/tape.json"]);
    expect(await readFile(join(path, "tape.json"), "utf8")).toBe(list);
  });

  it("keep the order of calls that were in flight when the other run took a name", async () => {
    const held: ServerResponse[] = [];
    const arrivals = new EventEmitter();
    await tapes.serve((response, received) => {
      if (!received.body.includes("equal")) return answer(response, received);
      held.push(response);
      arrivals.emit("arrived");
    });
    const runs: RecordingProxy[] = [await tapes.open("auto"), await tapes.open("auto")];
    await Promise.all(runs.map((run) => run.begin("packs")));
    const sent = [];
    for (let call = 0; call < 2; call += 1) {
      const arrived = once(arrivals, "arrived");
      sent.push(send("equal", runs[1]));
      await arrived;
    }
    await send("other", runs[0]);
    await runs[0]?.end("packs");
    const texts = ["First.", "Second."];
    for (const [index, text] of texts.entries()) {
      const { events } = protocol.provider.unfold(protocol.answerOf({ text, calls: [] }, text));
      await stream(Buffer.from(events.join("")))(held[index] as ServerResponse, {} as ReceivedRequest);
      expect((await sent[index])?.text).toContain(text);
    }
    await runs[1]?.end("packs");
    const replaying = await tapes.start("replay");
    for (const text of texts) expect((await send("equal")).text).toContain(text);
    expect(await replaying.end("packs")).toMatchObject({ played: 2, misses: [] });
  });
});
