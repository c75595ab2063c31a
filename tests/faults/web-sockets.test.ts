import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { itExtended } from "#tests/support/extended";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

const key = "sk-not-to-be-stored-in-any-file-1";

type Event = { type: string; [name: string]: unknown };

/** A double of the Realtime API: it greets, answers each request in pieces, and echoes bytes. */
class Realtime {
  readonly #server = createServer((_request, response) => response.writeHead(404).end());
  readonly #sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
  connections = 0;
  authorization: string | undefined;

  constructor() {
    this.#server.on("upgrade", (request, socket, head) => {
      this.connections += 1;
      this.authorization = request.headers.authorization;
      if (request.url?.startsWith("/v1/refused"))
        return void socket.end("HTTP/1.1 401 Unauthorized\r\ncontent-length: 8\r\n\r\nwhat key");
      this.#sockets.handleUpgrade(request, socket, head, (client) => this.#serve(client));
    });
  }

  #serve(client: WebSocket) {
    let count = 0;
    const send = (event: Event) => {
      count += 1;
      client.send(JSON.stringify({ event_id: `event_${this.connections}_${count}`, ...event }));
    };
    send({ type: "session.created", session: { id: `sess_${this.connections}` } });
    client.on("message", (data: Buffer, isBinary) => {
      if (isBinary) return client.send(Buffer.concat([Buffer.from([0, 255]), data]));
      const event = JSON.parse(data.toString("utf8")) as Event;
      if (event.type === "response.create") {
        for (const delta of ["Hel", "lo,\n", String(event.response)])
          send({ type: "response.output_text.delta", delta });
        send({ type: "response.done", response: { id: "resp_1", status: "completed" } });
      }
      if (event.type === "ping") send({ type: "pong" });
      if (event.type === "count") send({ type: "counted", sessions: this.connections });
      if (event.type === "session.close") client.close(4001, "closed by the server");
    });
  }

  get origin() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start() {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve()));
  }

  async stop() {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const server = new Realtime();
const folder = temporaryFolder();

/** Code that opens a WebSocket and prints what comes; `send` sends an event, `until` waits for one of a type. */
const client = `
import { WebSocket } from ${JSON.stringify(resolve("node_modules/ws/wrapper.mjs"))};
const open = (url, protocols = []) => {
  const socket = new WebSocket(url, protocols, { headers: { authorization: "Bearer ${key}" } });
  const seen = [];
  let wake = () => undefined;
  socket.on("message", (data, isBinary) => { seen.push(isBinary ? data.toString("hex") : data.toString()); console.log(seen.at(-1)); wake(); });
  socket.on("close", (code, reason) => { console.log("closed", code, String(reason)); seen.push("closed"); wake(); });
  socket.on("error", (error) => { console.log(error.message); });
  const until = async (text) => { while (!seen.some((it) => it.includes(text))) if (seen.includes("closed")) throw new Error("closed before " + text); else await new Promise((resolve) => { wake = resolve; }); seen.length = 0; };
  const send = (event) => socket.send(JSON.stringify({ event_id: crypto.randomUUID(), ...event }));
  return { socket, send, until };
};
const url = "wss://api.openai.com/v1/realtime?model=gpt-realtime";
`;

beforeAll(async () => {
  await server.start();
  await writeFile(
    join(folder, "tapedeck.config.json"),
    JSON.stringify({ addresses: { "api.openai.com": server.origin } }),
  );
});
afterAll(async () => {
  await server.stop();
});

async function run(mode: string, program: string, tapes: string, flags: readonly string[] = []) {
  await writeFile(join(folder, "program.mjs"), client + program);
  const args = ["run", "--mode", mode, "--tapes", tapes, ...flags, "--", "sh", "-c", "node program.mjs > out.txt"];
  const result = await runCommand(args, { cwd: folder, environment: { CI: undefined } });
  return { ...result, out: await readFile(join(folder, "out.txt"), "utf8") };
}

/** Records a program, and replays it while the double gets no connection. */
async function recordAndReplay(program: string, tapes: string) {
  const recorded = await run("auto", program, tapes);
  const before = server.connections;
  const replayed = await run("replay", program, tapes);
  expect(server.connections).toBe(before);
  return { recorded, replayed };
}

const ask = (text: string) => `
  await it.until("session.created");
  it.send({ type: "response.create", response: ${JSON.stringify(text)} });
  await it.until("response.done");`;

it("a session over a WebSocket is recorded, and played in the order of its messages without its server", async () => {
  const program = `const it = open(url, ["realtime", "openai-insecure-api-key.${key}"]); ${ask("one")}
    console.log(it.socket.protocol);
    it.socket.send(Buffer.from([1, 2, 3]));
    await it.until("00ff010203");
    it.send({ type: "session.close" });
    await it.until("closed");`;
  const { recorded, replayed } = await recordAndReplay(program, "whole");
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("0 played, 1 recorded, 0 missed") });
  expect(recorded.out).toContain('"delta":"lo,\\n"');
  expect(recorded.out).toContain("realtime\n00ff010203\nclosed 4001 closed by the server\n");
  expect(replayed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 played, 0 recorded, 0 missed, 0 unused"),
  });
  expect(replayed.out).toBe(recorded.out);
  expect(server.authorization).toBe(`Bearer ${key}`);
  for (const file of await readdir(join(folder, "whole/default")))
    expect(await readFile(join(folder, "whole/default", file), "utf8")).not.toContain(key);
  const shown = await runCommand(["show", "whole/default/001.cassette.json"], { cwd: folder });
  expect(shown.stdout.slice(shown.stdout.indexOf("Messages")).replaceAll(/"event_id":"[^"]+",?/g, "")).toBe(
    [
      "Messages",
      '[server] {"type":"session.created","session":{"id":"sess_1"}}',
      '[client] {"response":"one","type":"response.create"}',
      "[server] response.output_text.delta (3 messages)",
      '[server] {"type":"response.done","response":{"id":"resp_1","status":"completed"}}',
      "[client] bytes",
      "[server] 5 bytes",
      '[client] {"type":"session.close"}',
      "[server] closes with 4001 closed by the server\n",
    ].join("\n"),
  );
});

it("after a miss, another WebSocket is told so, and not that all have been played", async () => {
  const create = (text: string) => `it.send({ type: "response.create", response: "${text}" });`;
  const session = (second: string) => `const it = open(url); ${ask("one")} ${create(second)}`;
  await run("auto", `${session("two")} await it.until("response.done"); it.socket.close();`, "differs");
  const missed = await run(
    "replay",
    `${session("three")} await it.until("closed"); await open(url).until("closed");`,
    "differs",
  );
  expect(missed.stderr).toContain("This WebSocket was recorded once, and an earlier one of this run missed.");
  expect(missed.stderr).not.toContain("has been played");
});

it("a secret in a message of text or bytes is not stored, and the message matches", async () => {
  const program = `const it = open(url); ${ask(`said ${key}`)}
    it.socket.send(Buffer.from("\\xff${key}", "latin1"));
    await it.until("00ffff");
    it.socket.close(); await it.until("closed");`;
  const { recorded, replayed } = await recordAndReplay(program, "secrets");
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("anything was stored: 4\n") });
  expect(recorded.out).toContain(`00ffff${Buffer.from(key).toString("hex")}`);
  expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("1 played, 0 recorded, 0 missed") });
  expect(replayed.out).toContain(`00ffff${Buffer.from("*".repeat(key.length)).toString("hex")}`);
  const [file = ""] = (await readdir(join(folder, "secrets/default"))).filter((name) => name !== "tape.json");
  const text = await readFile(join(folder, "secrets/default", file), "latin1");
  const bytes = [...text.matchAll(/"b\\?": ?\\?"([^"\\]*)/g)].map(([, base64 = ""]) => Buffer.from(base64, "base64"));
  expect(bytes).toHaveLength(2);
  expect(Buffer.concat([Buffer.from(text), ...bytes]).includes(key)).toBe(false);
});

it("redact removes texts from the messages of a recorded session, which matches then", async () => {
  const program = `const it = open(url); ${ask("for Jane Example")}
    it.socket.send(Buffer.from("\\xffJane Example", "latin1"));
    await it.until("00ffff");
    it.socket.close(); await it.until("closed");`;
  expect(await run("auto", program, "named")).toMatchObject({ code: 0 });
  const config = JSON.stringify({ addresses: { "api.openai.com": server.origin }, redact: ["Jane Example"] });
  const configured = temporaryFolder();
  await writeFile(join(configured, "tapedeck.config.json"), config);
  const tapes = join(folder, "named");
  const { stdout } = await runCommand(["redact", "--tapes", tapes], { cwd: configured });
  expect(stdout.match(/^removed {2}default: 001\.cassette\.json: (?:\/websocket|response)/gm)).toHaveLength(4);
  const before = server.connections;
  await writeFile(join(configured, "program.mjs"), client + program);
  const args = ["run", "--mode", "replay", "--tapes", tapes, "--", "sh", "-c", "node program.mjs > out.txt"];
  expect(await runCommand(args, { cwd: configured, environment: { CI: undefined } })).toMatchObject({ code: 0 });
  expect(server.connections).toBe(before);
  const out = await readFile(join(configured, "out.txt"), "utf8");
  expect(out).toContain(`00ffff${Buffer.from("*".repeat(12)).toString("hex")}`);
  expect(out).not.toContain("Jane");
});

it("a session plays in a copy of the project, and names that folder", async () => {
  const program = `const it = open(url); ${ask("WHERE").replace('"WHERE"', 'process.cwd() + "/out.txt"')}
    it.socket.close(); await it.until("closed");`;
  const recorded = await run("auto", program, "moved");
  expect(recorded.out).toContain(`"delta":"${folder}/out.txt"`);
  const copy = temporaryFolder();
  for (const name of ["moved", "program.mjs", "tapedeck.config.json"])
    await cp(join(folder, name), join(copy, name), { recursive: true });
  const before = server.connections;
  const args = ["run", "--mode", "replay", "--tapes", "moved", "--", "sh", "-c", "node program.mjs > out.txt"];
  expect(await runCommand(args, { cwd: copy, environment: { CI: undefined } })).toMatchObject({ code: 0 });
  expect(server.connections).toBe(before);
  expect(await readFile(join(copy, "out.txt"), "utf8")).toBe(recorded.out.replaceAll(folder, copy));
});

it("with --repeat, sessions that have been played play again", async () => {
  const once = (text: string) => `{ const it = open(url); ${ask(text)} it.socket.close(); }`;
  const opened = ["one", "two"].map((text) => once(text)).join("\n");
  await run("auto", opened, "again");
  const before = server.connections;
  const program = `${opened}\n${once("two")}\n${once("one")}`;
  const missed = await run("replay", program, "again");
  expect(missed.stderr).toContain("This WebSocket was recorded 2 times, and each recording has been played.");
  expect((await runCommand(["why"], { cwd: folder })).stdout).toContain("--repeat plays the last recording again.");
  const replayed = await run("replay", program, "again", ["--repeat"]);
  expect(server.connections).toBe(before);
  expect(replayed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("4 played, 0 recorded, 0 missed, 0 unused"),
  });
  expect(replayed.out.match(/"delta":"(?:one|two)"/g)).toEqual(
    ["one", "two", "two", "one"].map((text) => `"delta":"${text}"`),
  );
  // Which session a client opens is known after the server has greeted it.
  const mixed = await run("auto", `${opened}\n${once("three")}`, "again", ["--repeat"]);
  expect(mixed).toMatchObject({ code: 0, stderr: expect.stringContaining("2 played, 1 recorded, 0 missed") });
  expect(mixed.out).toContain('"delta":"three"');
});

it("the SDK's Realtime client plays what it recorded", async () => {
  const program = `
    import OpenAI from ${JSON.stringify(resolve("node_modules/openai/index.mjs"))};
    import { OpenAIRealtimeWS } from ${JSON.stringify(resolve("node_modules/openai/realtime/ws.mjs"))};
    const it = new OpenAIRealtimeWS({ model: "gpt-realtime" }, new OpenAI({ apiKey: "${key}" }));
    it.on("session.created", () => it.send({ type: "response.create", response: "sdk" }));
    it.on("response.output_text.delta", ({ delta }) => console.log(delta));
    it.on("response.done", () => it.close());
    await new Promise((resolve) => it.socket.on("close", resolve));`;
  const { recorded, replayed } = await recordAndReplay(program, "sdk");
  expect(recorded.out).toBe("Hel\nlo,\n\nsdk\n");
  expect(replayed).toMatchObject({ code: 0, out: recorded.out });
});

itExtended("sessions that are open at once get their own recordings, in any order", async () => {
  const both = (first: string, second: string) => `
    for (const text of ["${first}", "${second}"]) {
      const it = open(url); ${ask("TEXT").replace('"TEXT"', "text")}
      it.socket.close(); await it.until("closed");
    }`;
  expect(await run("auto", both("one", "two"), "order")).toMatchObject({ code: 0 });
  const swapped = await run("replay", both("two", "one"), "order");
  expect(swapped).toMatchObject({ code: 0, stderr: expect.stringContaining("2 played") });
  expect(swapped.out.indexOf('"delta":"two"')).toBeLessThan(swapped.out.indexOf('"delta":"one"'));
});

it("sessions that begin alike while both are open get their own recordings once a message tells them apart", async () => {
  const both = (texts: readonly string[]) => `
    const sessions = [open(url), open(url), open(url)];
    for (const it of sessions) {
      await it.until("session.created");
      it.send({ type: "session.update", session: { instructions: "the same" } });
      it.send({ type: "ping" });
      await it.until("pong");
    }
    for (const [index, text] of ${JSON.stringify(texts)}.entries()) {
      sessions[index].send({ type: "response.create", response: text });
      await sessions[index].until("response.done");
    }
    for (const { socket, until } of sessions) { socket.close(); await until("closed"); }`;
  expect(await run("auto", both(["one", "two", "three"]), "alike")).toMatchObject({ code: 0 });
  const replayed = await run("replay", both(["three", "one", "two"]), "alike");
  expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("3 played, 0 recorded, 0 missed") });
  expect(replayed.out.match(/"delta":"(?:one|two|three)"/g)).toEqual(
    ["three", "one", "two"].map((text) => `"delta":"${text}"`),
  );
});

it("a session does not move to a recording whose answers were others", async () => {
  const program = (texts: readonly string[], end: string) => `
    for (const text of ${JSON.stringify(texts)}) {
      const it = open(url);
      await it.until("session.created");
      it.send({ type: "count" });
      await it.until("counted");
      it.send({ type: "response.create", response: text });
      await it.until("${end}");
      it.socket.close();
    }`;
  expect(await run("auto", program(["one", "two"], "response.done"), "answers")).toMatchObject({ code: 0 });
  const { code, out } = await run("replay", program(["two"], "type"), "answers");
  expect(code).toBe(1);
  expect(out).not.toContain('"delta"');
});

it("a message that no session has closes the connection, and the run fails with what differs", async () => {
  const program = (text: string) => `const it = open(url); ${ask(text)} it.socket.close(); await it.until("closed");`;
  expect(await run("auto", program("be brief"), "changed")).toMatchObject({ code: 0 });
  const changed = `const it = open(url); await it.until("session.created");
    it.send({ type: "response.create", response: "be brave" }); await it.until("closed");`;
  const { code, out, stderr } = await run("replay", changed, "changed");
  expect(code).toBe(1);
  expect(out).toMatch(
    /"type":"error".*"code":"tapedeck_miss".*be brave.*\nclosed 4424 Tapedeck has no recording of this/,
  );
  expect(stderr).toContain("No recorded session has this message 1 of the client");
  expect(stderr).toContain('/response was "be brief" and is now "be brave"');
  expect(stderr).not.toContain("event_id");
  expect(stderr).toContain("Record the tape again with --mode record");
  const why = await runCommand(["why"], { cwd: folder });
  expect(why).toMatchObject({ code: 0, stdout: expect.stringContaining("/response was") });
});

it("a tool result that differs is named with the number of its message, without times that are not compared", async () => {
  const program = (output: string, time: string) => `const it = open(url); ${ask("one")}
    const item = { type: "function_call_output", call_id: "call_1", output: ${JSON.stringify(output)} };
    it.send({ type: "conversation.item.create", item, sent: ${JSON.stringify(time)} });
    it.send({ type: "response.create", response: "two" });
    await it.until("response.done"); it.socket.close(); await it.until("closed");`;
  expect(await run("auto", program("rain", "2026-01-02T03:04:05Z"), "results")).toMatchObject({ code: 0 });
  expect(await run("replay", program("sun", "2026-01-02T03:45:06Z"), "results")).toMatchObject({ code: 0 });
  const { stdout } = await runCommand(["why"], { cwd: folder });
  expect(stdout).toContain('differs:\n  /1/item/output was "rain" and is now "sun"\n');
  expect(stdout).not.toContain("/sent");
});

it("without a recording, a replay refuses the upgrade; a refusal of the server reaches the client and is not stored", async () => {
  const program = `const it = open("wss://api.openai.com/v1/REALTIME".replace("REALTIME", process.argv[2] ?? "refused")); await it.until("closed");`;
  const missed = await run("replay", program, "none");
  expect(missed).toMatchObject({ code: 1, stderr: expect.stringContaining("The tape has no such WebSocket") });
  expect(missed.out).toContain("Unexpected server response: 424");
  const refused = await run("auto", program, "none");
  expect(refused.out).toContain("Unexpected server response: 401");
  expect(refused.stderr).toContain("WebSocket /v1/refused was refused with 401 and not stored.");
  expect(refused).toMatchObject({ code: 0, stderr: expect.stringContaining(" 1 missed,") });
});

it("a session that its test leaves open is stored when the test ends", async () => {
  const program = `
    const control = (action, body = {}) => fetch(process.env.TAPEDECK_PROXY + "/t/left/__tapedeck/" + action,
      { method: "POST", headers: { "x-tapedeck-token": process.env.TAPEDECK_TOKEN }, body: JSON.stringify(body) });
    // In the program alone: an assignment would look like one of this file, which then ran without the modules of others.
    Object.assign(process.env, { TAPEDECK_PROCESS: "it-0" });
    await control("begin", { process: "it-0" });
    const it = open(url); ${ask("left open")}
    await control("end");
    await it.until("closed");`;
  const { recorded, replayed } = await recordAndReplay(program, "left");
  expect(recorded.stderr).toContain("1 recorded");
  expect(recorded.out).toContain("closed 1001 the test has ended");
  expect(replayed).toMatchObject({ code: 0, out: recorded.out, stderr: expect.stringContaining("1 played") });
});
