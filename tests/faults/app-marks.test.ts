import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** Answers every host, with what it was asked. */
class Provider extends LoopbackServer {
  asked: { place: string; body: string; headers: string[] }[] = [];

  protected async handle(request: IncomingMessage, response: ServerResponse) {
    const { headers, url } = request;
    const body = (await readBody(request)).toString();
    this.asked.push({ place: `${headers.host}${url}`, body, headers: Object.keys(headers) });
    sendJson(response, 200, { body });
  }
}

/** An app that answers when two requests have come; what it asks a model has the text of the request's path. */
const app = `
import http from "node:http";
import https from "node:https";
import { Server } from "node:net";
import { text } from "node:stream/consumers";
import { Agent, ProxyAgent, request as ask } from "undici";
import WebSocket, { WebSocketServer } from "ws";
// Servers of other protocols have events of this name too.
new Server().emit("request", { id: 1 }, () => {});
const lookup = (_host, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]);
const dispatcher = new Agent({ connect: { lookup } });
const url = "https://api.openai.com/v1/responses";
const init = { method: "POST", headers: { "content-type": "application/json" } };
const bodyOf = (input) => JSON.stringify({ model: "m", input });
const viaFetch = async (input) => (await fetch(url, { ...init, body: bodyOf(input) })).text();
const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
const viaRequest = (input) => new Promise((resolve, reject) => {
  https.request(url, { ...init, agent }, (response) => resolve(text(response))).on("error", reject).end(bodyOf(input));
});
const viaGet = (url) => new Promise((resolve) => {
  (url.startsWith("https") ? https : http).get(url, (response) => resolve(text(response)));
});
const viaSocket = () => new Promise((resolve) => new WebSocket("wss://search.example.com/").once("error", resolve));
const kinds = {
  fetch: viaFetch,
  request: viaRequest,
  hop: async () => (await fetch(origin + "/fetch?alone", init)).text(),
  get: () => viaGet(origin + "/fetch?alone"),
  other: async () => { await fetch("https://search.example.com/"); await viaGet("https://search.example.com/"); await viaSocket(); return viaFetch("other"); },
  elsewhere: async (input) => (await fetch("http://search.example.com:6333/v1/responses", { ...init, body: bodyOf(input) })).text(),
  port: async () => (await ask("http://search.example.com:6333", { dispatcher })).body.text(),
  proxied: async () => {
    const dispatcher = new ProxyAgent({ uri: "http://proxy.example.com:" + server.address().port, proxyTls: { lookup } });
    await ask("http://search.example.com", { dispatcher, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    return [...tunnels].join();
  },
  connect: () => new Promise((resolve) => {
    const { port } = server.address();
    http.request({ method: "CONNECT", path: "a:1", port }).once("connect", ({ headers }) => resolve(headers.seen)).end();
  }),
  later: async () => { setTimeout(() => viaFetch("later").then(() => done()), 20); return "later"; },
};
let done;
const later = new Promise((resolve) => { done = resolve; });
let waiting = [];
const server = http.createServer((request, response) => {
  if (/tapedeck/.test(JSON.stringify([request.headers, request.rawHeaders, request.headersDistinct]))) return response.writeHead(400).end("sees the mark");
  const [, kind, alone] = /^\\/(\\w+)(\\?alone)?/.exec(request.url);
  // Its end comes from outside of the handler.
  request.resume().on("end", async () => {
    if (kind === "ended") return response.end(await later.then(() => "ended"));
    if (!alone) await new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 2) for (const each of waiting.splice(0)) each();
    });
    response.end(await kinds[kind](kind));
  });
});
const tunnels = new Set();
server.on("connect", ({ headers, url }, socket) => {
  tunnels.add(url);
  socket.end("HTTP/1.1 200 OK\\r\\nseen: " + Object.keys(headers) + "\\r\\n\\r\\n");
});
new WebSocketServer({ server }).on("connection", (socket) => socket.on("message", async () => socket.send(await viaFetch("socket"))));
server.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const origin = "http://127.0.0.1:" + server.address().port;
process.send(origin);
process.once("disconnect", () => process.exit());
`;

/** Tests of the app; `control` is what fixtures send. */
const tests = `
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import WebSocket from "ws";
const { TAPEDECK_PROXY, TAPEDECK_TOKEN } = process.env;
const control = async (test, action, body = {}) => {
  const init = { method: "POST", headers: { "x-tapedeck-token": TAPEDECK_TOKEN }, body: JSON.stringify(body) };
  return (await fetch(TAPEDECK_PROXY + "/t/" + test + "/__tapedeck/" + action, init)).json();
};
const app = fork("app.mjs", { env: { ...process.env, TAPEDECK_PROCESS: "" } });
const [origin] = await once(app, "message");
const header = (test) => ({ "x-tapedeck-process": "mark-" + test });
const cookie = (test) => ({ cookie: "session=1; tapedeck-mark=mark-" + test + "; theme=dark" });
const begin = (test, options) =>
  control(test, "begin", { app: true, process: "of-" + test, mark: "mark-" + test, ...options });
const ask = async (path, headers) => {
  const response = await fetch(origin + path, { method: "POST", headers, body: "x" });
  if (response.ok) return response.text();
  throw new Error(await response.text());
};
const both = async (kind) =>
  Promise.all([ask("/" + kind, header("one")), ask("/" + kind, cookie("two"))]);
const overSocket = async (headers) => {
  const socket = new WebSocket(origin.replace("http", "ws"), { headers });
  socket.once("open", () => socket.send("x"));
  const [message] = await once(socket, "message");
  socket.close();
  return String(message);
};
const out = {};
`;

const ending = `
app.kill();
writeFileSync("out.json", JSON.stringify(out));
`;

const folder = temporaryFolder();
const provider = new Provider();
beforeAll(async () => {
  await provider.start();
  const addresses = Object.fromEntries(
    ["api.openai.com", "search.example.com", "search.example.com:6333"].map((host) => [host, provider.origin] as const),
  );
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
  const from = (text: string) =>
    text.replace(/(?<=from )"(ws|undici)"/g, (_, name) => JSON.stringify(import.meta.resolve(name)));
  await writeFile(join(folder, "app.mjs"), from(app));
  await writeFile(join(folder, "tests.mjs"), from(tests));
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.asked = [];
});

/** Runs code after that of \`tests\`, and returns what it puts into \`out\`. */
async function runTests(code: string, ...args: string[]) {
  const start = await readFile(join(folder, "tests.mjs"), "utf8");
  await writeFile(join(folder, "run.mjs"), `${start}${code}${ending}`);
  const { code: exitCode, stderr } = await runCommand(["run", ...args, "--", "node", "run.mjs"], {
    cwd: folder,
    environment: { CI: undefined, OPENAI_API_KEY: undefined },
  });
  return { exitCode, stderr, out: JSON.parse(await readFile(join(folder, "out.json"), "utf8")) };
}

it("tests of an app that run at once each have its calls, faults and answers, however it makes them", async () => {
  const kinds = ["fetch", "request", "hop", "get", "elsewhere"];
  const { exitCode, out, stderr } = await runTests(
    `await begin("one", { answers: [{ text: "for one" }] });
    await begin("two", { faults: [{ call: 1, status: 418 }] });
    for (const kind of ${JSON.stringify(kinds)}) out[kind] = await both(kind);
    out.sockets = await Promise.all([overSocket(header("one")), overSocket(cookie("two"))]);
    for (const test of ["one", "two"]) out[test] = (await control(test, "requests")).map(({ body }) => body.input);
    for (const test of ["one", "two"]) await control(test, "end");`,
    "--tapes",
    "at-once",
  );
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("5 recorded, 0 missed") });
  for (const [index, kind] of [...kinds, "sockets"].entries()) {
    expect(out[kind][0]).toContain("for one");
    expect(out[kind][1]).toContain(index === 0 ? "418" : "input");
  }
  expect([out.one, out.two]).toEqual([
    ["fetch", "request", "fetch", "fetch", "elsewhere", "socket"],
    ["fetch", "request", "fetch", "fetch", "elsewhere", "socket"],
  ]);
  expect(stderr).not.toContain("without the mark");
});

it("the mark reaches neither the app, nor a model, nor any other host, and counts after the response has ended", async () => {
  const { exitCode, out, stderr } = await runTests(
    `await begin("one"); await begin("two");
    out.other = await both("other");
    out.later = await Promise.all([ask("/later?alone", header("one"))]);
    out.ended = await ask("/ended");
    for (const kind of ["port", "proxied", "connect"]) out[kind] = await ask("/" + kind + "?alone", header("one"));
    for (const test of ["one", "two"]) out[test] = (await control(test, "requests")).map(({ body }) => body.input);`,
    "--tapes",
    "not-seen",
  );
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(out.other[0]).toContain("other");
  expect([out.ended, out.one, out.two]).toEqual(["ended", ["other", "later"], ["other"]]);
  expect(out.proxied).toBe("search.example.com:80");
  expect(out.connect).toBe("host,connection");
  expect(provider.asked.filter(({ place }) => place.startsWith("search.example.com:"))).toHaveLength(1);
  expect(provider.asked.filter(({ place }) => place === "search.example.com/")).toHaveLength(6);
  expect(provider.asked.flatMap(({ headers }) => headers).filter((name) => name.includes("tapedeck"))).toEqual([]);
});

it("calls without the mark of a running test are on the tape of the only one; while several run, on the default tape, which is said", async () => {
  const { exitCode, out, stderr } = await runTests(
    `await begin("one");
    out.alone = await ask("/fetch?alone");
    await begin("two");
    out.unmarked = await ask("/request?alone");
    out.invented = await ask("/fetch?alone", header("three"));
    await control("two", "end");
    out.late = await ask("/fetch?alone", header("two"));
    for (const test of ["one", "two", "default"]) out[test] = (await control(test, "requests")).length;`,
    "--tapes",
    "unmarked",
  );
  expect({ exitCode, stderr, out }).toMatchObject({ exitCode: 0, out: { one: 2, two: 0, default: 2 } });
  expect(stderr).toMatch(
    /default: Calls of an app .* while several tests with app: true ran \("one", "two"\): 2\. .*workers: 1\.\n/,
  );
});
