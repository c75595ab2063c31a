import { execFileSync } from "node:child_process";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isExtended } from "#tests/support/extended";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** Answers every host, with what it was asked. */
class Everything extends LoopbackServer {
  asked: string[] = [];

  protected async handle(request: IncomingMessage, response: ServerResponse) {
    const { method, headers, url } = request;
    await readBody(request);
    this.asked.push(`${method} ${headers.host}${url}`);
    sendJson(response, 200, { host: headers.host, url });
  }
}

const hosts = [
  "api.openai.com",
  "api.anthropic.com",
  "api.groq.com",
  "bedrock-runtime.us-east-1.amazonaws.com",
  "cloudcode-pa.googleapis.com",
  "gateway.example.com",
  "search.example.com",
];

/** Asks models by clients that know no base URL, and hosts that are none; prints each status and answer. */
const program = `
import { execFileSync } from "node:child_process";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { text } from "node:stream/consumers";
import tls from "node:tls";
import { Worker } from "node:worker_threads";

const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
const print = (name, ...values) => console.log(name, ...values);
const post = { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer sk-not-to-be-stored-1" } };
const viaFetch = async (name, url, init = { ...post, body }) => {
  const response = await fetch(url, init);
  print(name, response.status, await response.text());
};
const viaRequest = (name, { request }, url, options = {}) =>
  new Promise((resolve) => {
    request(url, { ...post, ...options }, async (response) => resolve(print(name, response.statusCode, await text(response)))).end(body);
  });

await viaFetch("fetch", "https://api.openai.com/v1/chat/completions");
await viaFetch("groq", "https://api.groq.com/openai/v1/chat/completions");
await viaRequest("https", https, "https://api.anthropic.com/v1/messages");
await viaRequest("agent", https, "https://api.anthropic.com/v1/messages?beta=true", { agent: new https.Agent({ keepAlive: true }) });
await viaFetch("unlisted", "https://gateway.example.com/llm/v1/chat/completions");
await viaRequest("plain", http, "http://gateway.example.com:8080/v1/messages");
const session = http2.connect("https://bedrock-runtime.us-east-1.amazonaws.com");
const stream = session.request({ ":method": "POST", ":path": "/model/m/converse", "content-type": "application/json" });
stream.end(body);
print("http2", await text(stream));
session.close();
const socket = tls.connect({ host: "api.openai.com", port: 443, servername: "api.openai.com" });
socket.write("GET /v1/models HTTP/1.1\\r\\nhost: api.openai.com\\r\\nconnection: close\\r\\n\\r\\n");
print("socket", (await text(socket)).split("\\r\\n")[0]);
const child = "fetch('https://api.openai.com/v1/responses', " + JSON.stringify({ ...post, body: JSON.stringify({ model: "m", input: "hi" }) }) + ")";
print("child", execFileSync(process.execPath, ["-e", child + ".then((it) => it.text()).then(console.log)"], { encoding: "utf8" }).trim());
const worker = new Worker("import('node:worker_threads').then(async ({ parentPort }) => parentPort.postMessage(await " + child.replace("responses", "responses?worker") + ".then((it) => it.text())))", { eval: true });
print("worker", await new Promise((resolve) => worker.once("message", resolve)));
await viaFetch("search", "https://search.example.com/?q=weather", {});
await viaFetch("telemetry", "https://api.anthropic.com/api/event_logging/batch", { method: "POST", body: "{}" });
`;

/** Asks what was never recorded, and hides that it got no answer. */
const careless = `
await fetch("https://api.openai.com/v1/chat/completions", {
  method: "POST",
  headers: { "user-agent": "careless/1.0" },
  body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "new" }] }),
}).catch(() => undefined);
`;

const folder = temporaryFolder();
const server = new Everything();
const tapedeck = (...args: string[]) =>
  runCommand(args, {
    cwd: folder,
    environment: { CI: undefined, OPENAI_API_KEY: undefined, NO_PROXY: "localhost,*.azure.com" },
  });

beforeAll(async () => {
  await server.start();
  const addresses = Object.fromEntries(
    [
      ...hosts,
      ...["gateway", "store"].flatMap((name) => [8080, 6333].map((port) => `${name}.example.com:${port}`)),
    ].map((host) => [host, server.origin] as const),
  );
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
  await writeFile(join(folder, "all.mjs"), program);
  await writeFile(join(folder, "careless.mjs"), careless);
});
afterAll(async () => {
  if (server.isListening) await server.close();
});

beforeEach(async () => {
  if (!server.isListening) await server.start(server.port);
});

const answer = (host: string, url: string) => JSON.stringify({ host, url });

it("calls of any client are recorded without a base URL, and replayed with the provider stopped", async () => {
  const recorded = await tapedeck("run", "--", "sh", "-c", "node all.mjs > recorded.txt");
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("0 played, 10 recorded, 0 missed") });
  expect(recorded.stderr).toContain("passed to other hosts, not recorded: search.example.com");
  const lines = (await readFile(join(folder, "recorded.txt"), "utf8")).trim().split("\n");
  expect(lines).toEqual([
    `fetch 200 ${answer("api.openai.com", "/v1/chat/completions")}`,
    `groq 200 ${answer("api.groq.com", "/openai/v1/chat/completions")}`,
    `https 200 ${answer("api.anthropic.com", "/v1/messages")}`,
    `agent 200 ${answer("api.anthropic.com", "/v1/messages?beta=true")}`,
    `unlisted 200 ${answer("gateway.example.com", "/llm/v1/chat/completions")}`,
    `plain 200 ${answer("gateway.example.com:8080", "/v1/messages")}`,
    `http2 ${answer("bedrock-runtime.us-east-1.amazonaws.com", "/model/m/converse")}`,
    "socket HTTP/1.1 200 OK",
    `child ${answer("api.openai.com", "/v1/responses")}`,
    `worker ${answer("api.openai.com", "/v1/responses?worker")}`,
    `search 200 ${answer("search.example.com", "/?q=weather")}`,
    `telemetry 200 ${answer("api.anthropic.com", "/api/event_logging/batch")}`,
  ]);
  const files = await readdir(join(folder, "tapes/default"));
  for (const file of files)
    expect(await readFile(join(folder, "tapes/default", file), "utf8")).not.toContain("sk-not-to-be-stored-1");

  await server.close();
  const replayed = await tapedeck("run", "--mode", "replay", "--", "sh", "-c", "node all.mjs > replayed.txt");
  expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("10 played, 0 recorded, 0 missed") });
  const again = (await readFile(join(folder, "replayed.txt"), "utf8")).trim().split("\n");
  expect(again.slice(0, 10)).toEqual(lines.slice(0, 10));
  // No host is reached: what is no call of a model is refused by the network, or answered without it.
  expect(again[10]).toContain("search 502");
  expect(again[11]).toBe("telemetry 204");
});

it("calls of Gemini CLI after a login with Google are replayed, with another prompt id and result of a tool", async () => {
  const ask = `
    const at = (method) => "https://cloudcode-pa.googleapis.com/v1internal:" + method;
    const post = (method, body) => fetch(at(method), { method: "POST", body: JSON.stringify(body) });
    const parts = [{ functionResponse: { name: "ls", response: { output: process.argv[1] } } }];
    const body = { model: "gemini-2.5-pro", user_prompt_id: process.argv[1], request: { contents: [{ role: "user", parts }] } };
    const { status } = await post("streamGenerateContent?alt=sse", body);
    await post("recordCodeAssistMetrics", {});
    process.exit(status === 200 ? 0 : 3);`;
  const run = (mode: string, id: string) =>
    tapedeck("run", "--tapes", "cli", "--mode", mode, "--", "node", "--input-type=module", "-e", ask, id);
  server.asked = [];
  expect(await run("auto", "one")).toMatchObject({ code: 0, stderr: expect.stringContaining("1 recorded, 0 missed") });
  expect(server.asked).toHaveLength(2);
  expect(await run("replay", "two")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 played, 0 recorded"),
  });
  expect(server.asked).toHaveLength(2);
});

it("a recording of one provider is not played for the same request to another", async () => {
  const ask = (host: string) =>
    `await fetch("https://${host}/v1/chat/completions", { method: "POST", body: '{"model":"m","messages":[{"role":"user","content":"same"}]}' });`;
  const run = (mode: string, host: string) =>
    tapedeck("run", "--tapes", "by-host", "--mode", mode, "--", "node", "--input-type=module", "-e", ask(host));
  expect(await run("auto", "api.openai.com")).toMatchObject({ code: 0 });
  expect(await run("replay", "api.groq.com")).toMatchObject({ code: 1, stderr: expect.stringContaining("1 missed") });
});

it("what --hosts recorded is played without it; of a host that only looked like a model's, the rest passes", async () => {
  const ask = `
    const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
    await fetch("https://gateway.example.com/v1/chat/completions", { method: "POST", body });
    const urls = ["https://gateway.example.com/health", "https://search.example.com/?q=weather"];
    for (const url of urls) await fetch(url);`;
  const run = (...args: string[]) =>
    tapedeck("run", "--tapes", "whole", ...args, "--", "node", "--input-type=module", "-e", ask);
  const counts = (text: string) => ({ code: 0, stderr: expect.stringContaining(text) });
  server.asked = [];
  expect(await run("--hosts", "search.example.com")).toMatchObject(counts("0 played, 2 recorded, 0 missed"));
  const replayed = await run("--mode", "replay", "--complete");
  expect(replayed).toMatchObject(counts("2 played, 0 recorded, 0 missed"));
  expect(replayed.stderr).toContain("passed to other hosts, not recorded: gateway.example.com\n");
  expect(server.asked.filter((asked) => asked.includes("search.example.com"))).toHaveLength(1);
  expect(server.asked.filter((asked) => asked === "GET gateway.example.com/health")).toHaveLength(2);
});

it("fetch is intercepted on any port of a host", async () => {
  const urls = ["https://store.example.com:6333/collections", "http://store.example.com:8080/health"];
  const ask = `for (const url of ${JSON.stringify(urls)}) if (!(await fetch(url)).ok) process.exit(3);`;
  const run = (...args: string[]) =>
    tapedeck("run", "--tapes", "ports", ...args, "--", "node", "--input-type=module", "-e", ask);
  const counts = (text: string) => ({ code: 0, stderr: expect.stringContaining(text) });
  expect(await run("--hosts", "store.example.com")).toMatchObject(counts("0 played, 2 recorded, 0 missed"));
  await server.close();
  expect(await run("--mode", "replay")).toMatchObject(counts("2 played, 0 recorded, 0 missed"));
});

it("a server on this machine is named once: from then on, its tape leads requests to the proxy", async () => {
  const place = `127.0.0.1:${server.port}`;
  const ask = `
    const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
    await fetch("http://${place}/v1/chat/completions", { method: "POST", body });
    await fetch("http://${place}/?q=weather");`;
  const run = (...args: string[]) =>
    tapedeck("run", "--tapes", "local", ...args, "--", "node", "--input-type=module", "-e", ask);
  const counts = (text: string) => ({ code: 0, stderr: expect.stringContaining(text) });
  expect(await run()).toMatchObject(counts("0 played, 0 recorded, 0 missed"));
  expect(await run("--hosts", place)).toMatchObject(counts("0 played, 2 recorded, 0 missed"));
  expect(await run("--mode", "record")).toMatchObject(counts("0 played, 2 recorded, 0 missed"));
  // For a test whose tape does not have it, it is untouched.
  const [own, other] = [join(folder, "local/default"), join(folder, "local/other")];
  await rename(own, other);
  const health = `const { ok } = await fetch("http://${place}/health"); process.exit(ok ? 0 : 3);`;
  const strict = [
    "--tapes",
    "local",
    "--strict",
    "--mode",
    "replay",
    "--",
    "node",
    "--input-type=module",
    "-e",
    health,
  ];
  const untouched = await tapedeck("run", ...strict);
  expect(untouched).toMatchObject({ code: 1, stderr: expect.not.stringContaining(place) });
  expect(untouched.stderr).toContain("the run failed. No call came to the proxy, although there are recordings.");
  await rename(other, own);
  await server.close();
  expect(await run("--mode", "replay")).toMatchObject(counts("2 played, 0 recorded, 0 missed"));
});

it("a server on this machine is one server, by whichever name it is named, recorded and asked", async () => {
  const ask = (name: string) =>
    `const { status } = await fetch("http://${name}:${server.port}/mcp"); process.exit(status === 200 ? 0 : 3);`;
  const run = (name: string, ...args: string[]) =>
    tapedeck("run", "--tapes", "one", ...args, "--", "node", "--input-type=module", "-e", ask(name));
  const recorded = await run("localhost", "--hosts", `127.0.0.1:${server.port}`);
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("0 played, 1 recorded") });
  await server.close();
  for (const name of ["127.0.0.1", "localhost", "[::1]"])
    expect(await run(name, "--mode", "replay")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("1 played, 0 recorded, 0 missed"),
    });
});

it("the command in a miss records what the run has missed, with its options", async () => {
  const place = `127.0.0.1:${server.port}`;
  const run = ["run", "--tapes", "other tapes", "--hosts", place, "--exact"];
  const ask = ["--", "node", "--input-type=module", "-e", `await fetch("http://${place}/?q=isn't")`];
  const { stderr } = await tapedeck(...run, "--mode", "replay", ...ask);
  const [, line = ""] = /Record it with: npm run -s tapedeck -- (.+)\n/.exec(stderr) ?? [];
  const args = execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
    .trim()
    .split("\n");
  expect(args, stderr).toEqual(["run", "--mode", "auto", ...run.slice(1), ...ask]);
  if (!isExtended) return;
  expect(await tapedeck(...args)).toMatchObject({ code: 0, stderr: expect.stringContaining("1 recorded, 0 missed") });
  expect((await tapedeck(...run, "--mode", "replay", ...ask)).stderr).toContain("1 played, 0 recorded, 0 missed");
});

it("a server on this machine that no option names is named by a run that misses something, or fails", async () => {
  const place = `127.0.0.1:${server.port}`;
  const line = `  asked on this machine, not recorded: ${place}. To record one: --hosts ${place}\n`;
  const serve =
    "require('http').createServer((_, it) => it.end()).listen(0, function () { console.log(this.address().port) })";
  const own = `const child = spawn(process.execPath, ["-e", ${JSON.stringify(serve)}]);
    const [port] = await once(child.stdout, "data");
    await fetch("http://127.0.0.1:" + Number(port));
    child.kill();`;
  const call =
    'await fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body: \'{"messages":[]}\' });';
  const run = (mode: string, end: string) => {
    const imports = 'import { spawn } from "node:child_process"; import { once } from "node:events";';
    const program = `${imports} ${own} await fetch("http://${place}"); ${call} ${end}`;
    return tapedeck("run", "--tapes", "passed", "--mode", mode, "--", "node", "--input-type=module", "-e", program);
  };
  expect((await run("replay", "")).stderr).toContain(line);
  expect((await run("auto", "")).stderr).not.toContain("asked on this machine");
});

it("a host that is none is refused, and so is a complete run that has nothing to play", async () => {
  for (const host of ["http://127.0.0.1:8", "127.0.0.1:*", "127.0.0.1:8/v1"])
    expect(await tapedeck("run", "--hosts", host, "--", "true")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${host} must be a host such as api.example.com, or host:port.`),
    });
  const none = await tapedeck("run", "--tapes", "none", "--mode", "replay", "--complete", "--", "true");
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no tape") });
});

it("a request to a host that no tape has does not count the default tape as used", async () => {
  const ask = 'await fetch("https://gateway.example.com/health")';
  const args = ["--tapes", "whole", "--mode", "replay", "--", "node", "--input-type=module", "-e", ask];
  const { code, stderr } = await tapedeck("run", ...args);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("0 missed, 0 unused\n") });
});

it("a client that does not trust the run's certificate is named, and fails a replay", async () => {
  const ask = "fetch('https://api.openai.com/v1/models').catch(() => undefined)";
  const program = `NODE_EXTRA_CA_CERTS= ${process.execPath} -e "${ask}"`;
  const { code, stderr } = await tapedeck("run", "--mode", "replay", "--", "sh", "-c", program);
  expect(code).toBe(1);
  expect(stderr).toContain("it seems not to trust the certificate of this run. ");
  expect(stderr).toContain("no recording of CONNECT api.openai.com. ");
});

it("in replay, a call without a recording fails the run although the program hides it, and no host is asked", async () => {
  const before = server.asked.length;
  const { code, stderr } = await tapedeck("run", "--mode", "replay", "--", "node", "careless.mjs");
  expect(code).toBe(1);
  expect(stderr).toContain('"default": no recording of POST /v1/chat/completions to api.openai.com by careless/1.0. ');
  expect(server.asked).toHaveLength(before);
});

/** What a test's program has: `control` for its tape, and the code of a call of a model. */
const testTools = `
import { execFileSync } from "node:child_process";
const { env } = process;
const { TAPEDECK_PROXY, TAPEDECK_TOKEN } = env;
const control = (test, action, body = {}) =>
  fetch(TAPEDECK_PROXY + "/t/" + test + "/__tapedeck/" + action, {
    method: "POST",
    headers: { "x-tapedeck-token": TAPEDECK_TOKEN },
    body: JSON.stringify(body),
  });
const code = (text) =>
  "fetch('https://api.openai.com/v1/responses', { method: 'POST', body: '" + JSON.stringify({ model: "m", input: text }) + "' }).then((it) => it.text())";
`;

/** Two tests, one after the other and then both at once; each asks a model, also from a process that it starts. */
const tests = `${testTools}
const ask = (text) => eval(code(text));
const id = (env.TAPEDECK_PROCESS = process.pid + "-0");
for (const test of ["one", "two"]) {
  await control(test, "begin", { process: id });
  await ask(test);
  execFileSync(process.execPath, ["-e", code(test + ", by a child")]);
  await control(test, "end");
}
for (const test of ["three", "four"]) await control(test, "begin", { process: id });
await ask("whose?");
`;

it("a call belongs to the test that runs in its process, and to none where two do", async () => {
  await writeFile(join(folder, "tests.mjs"), tests);
  const recorded = await tapedeck("run", "--tapes", "by-test", "--", "node", "tests.mjs");
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("5 recorded, 0 missed") });
  expect(recorded.stderr).toMatch(
    /tests that run at once, are on this tape, .* "three" got none: .* The same for 1 more\.\n/,
  );
  const files = async (test: string) => (await readdir(join(folder, "by-test", test)).catch(() => [])).length;
  expect(await Promise.all(["one", "two", "three", "four", "default"].map(files))).toEqual([3, 3, 0, 0, 2]);
});

/** Tests of an app, which is a process of its own: with its calls on the test's tape, and then without. */
const appTests = `${testTools}
const askInApp = (text) => execFileSync(process.execPath, ["-e", code(text)], { env: { ...env, TAPEDECK_PROCESS: "" } });
for (const test of ["sends", "stops"]) {
  await control(test, "begin", { process: process.pid + "-0", app: true });
  const second = await control("both", "begin", { process: process.pid + "-0", app: true });
  console.log(second.status, (await second.json()).error.message ?? "");
  askInApp(test);
  const body = JSON.stringify({ model: "m", input: "by base URL" });
  await fetch(TAPEDECK_PROXY + "/openai/v1/responses", { method: "POST", body });
  await control(test, "end");
}
askInApp("between tests");
`;

it("the calls of an app are on the tape of the one test that takes them, until it ends", async () => {
  await writeFile(join(folder, "app-tests.mjs"), appTests);
  const command = "node app-tests.mjs > app-tests.txt";
  const recorded = await tapedeck("run", "--tapes", "of-app", "--", "sh", "-c", command);
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("5 recorded, 0 missed") });
  const files = async (test: string) => (await readdir(join(folder, "of-app", test)).catch(() => [])).length;
  expect(await Promise.all(["sends", "stops", "both", "default"].map(files))).toEqual([3, 3, 0, 2]);
  const refusal = /^500 .*those of the test "sends", which runs in the same process and has not ended: run such/;
  expect(await readFile(join(folder, "app-tests.txt"), "utf8")).toMatch(refusal);
});

/** Opens tunnels by itself, with its own authorities, and prints what comes of two requests to a host. */
const ownTunnel = (host: string) => `
  const [net, tls] = [require("node:net"), require("node:tls")];
  const { hostname, port } = new URL(process.env.HTTPS_PROXY);
  const ask = () => new Promise((resolve) => {
    const socket = net.connect(port, hostname, () => socket.write("CONNECT ${host}:443 HTTP/1.1\\r\\nhost: ${host}:443\\r\\n\\r\\n"));
    socket.once("data", () => {
      const secure = tls.connect({ socket, servername: "${host}", ca: tls.rootCertificates });
      secure.on("error", ({ code }) => { console.log(code); socket.destroy(); });
      secure.on("data", (data) => { console.log(String(data).split(" ")[1]); secure.destroy(); });
      secure.write("GET /v1/models HTTP/1.1\\r\\nhost: ${host}\\r\\n\\r\\n");
    }).on("close", resolve);
  });
  ask().then(ask);`;

it("a client with authorities and a tunnel of its own is recorded", async () => {
  await writeFile(join(folder, "tunnel.cjs"), ownTunnel("api.openai.com"));
  const { code, stderr } = await tapedeck("run", "--tapes", "tunnel", "--", "sh", "-c", "node tunnel.cjs > tunnel.txt");
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("2 recorded") });
  expect(await readFile(join(folder, "tunnel.txt"), "utf8")).toBe("200\n200\n");
});

it("a client that closes the connection at the sight of the run's certificate is let through from then on", async () => {
  await writeFile(join(folder, "untrusting.cjs"), ownTunnel("search.example.com"));
  const args = [
    "run",
    "--tapes",
    "tunnel",
    "--",
    "sh",
    "-c",
    `NODE_OPTIONS= ${process.execPath} untrusting.cjs > untrusting.txt`,
  ];
  expect(await tapedeck(...args)).toMatchObject({ stderr: expect.stringContaining("search.example.com") });
  // The host's stand-in speaks no TLS.
  const [first, second] = (await readFile(join(folder, "untrusting.txt"), "utf8")).split("\n");
  expect(first).toBe("SELF_SIGNED_CERT_IN_CHAIN");
  expect(second).not.toBe(first);
});

it("with --strict, a host that is not recorded is refused by its name, and the run fails", async () => {
  const program = `const post = { method: "POST", body: "{}" };
    const telemetry = await fetch("https://api.anthropic.com/api/event_logging/batch", post);
    const { status } = await fetch("https://search.example.com/");
    process.exitCode = telemetry.status === 204 && status === 403 ? 0 : 3;`;
  const { code, stderr } = await tapedeck("run", "--strict", "--", "node", "--input-type=module", "-e", program);
  expect(code).toBe(1);
  const excluded = "tapedeck: NO_PROXY has *.azure.com: calls of models there are neither recorded nor replayed.\n";
  expect(stderr).toContain(excluded);
  expect(stderr).toContain("refused by --strict: search.example.com\n");
  expect(stderr).toContain("Hosts that --strict refused: search.example.com. Name those that may pass in NO_PROXY.");
});
