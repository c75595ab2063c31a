import { isUtf8 } from "node:buffer";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/index";
import type { SessionReport } from "#lib/replay/recording-proxy/index";
import { type Json, type Protocol, protocolNames, protocols, question } from "#tests/support/conversation-protocols";
import { deferred } from "#tests/support/deferred";
import { type Answer, stallAfter } from "#tests/support/provider-double";
import { type Received, streamAnswer, turnAnswers, turnRequests } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();
const pathOf = (file: string) => join(tapes.folder, "tapes/packs", file);
const answersOf = (protocol: Protocol) => turnAnswers(protocol).map((body) => streamAnswer(protocol, body));

/** Runs a conversation to its end, as a client with tools does. */
async function converse(protocol: Protocol, prompt = question, headers: Record<string, string> = {}) {
  const received: Received[] = [];
  for (const request of turnRequests(protocol, prompt)) {
    received.push(await tapes.send(protocol, "packs", request, headers));
    if (received.at(-1)?.status !== 200) break;
  }
  return received;
}

const counts = (report: SessionReport | undefined) => ({
  played: report?.played,
  recorded: report?.recorded,
  missed: report?.misses.length,
  unused: report?.unused.length,
});

it.each(protocolNames)(
  "a conversation of %s is recorded once, and then replayed without a connection",
  async (name) => {
    const protocol = protocols[name];
    await tapes.serve(...answersOf(protocol));
    const recording = await tapes.start("auto");
    const recorded = await converse(protocol);
    expect(recorded.map(({ status, headers }) => [status, headers["x-tapedeck"]])).toEqual(
      Array(3).fill([200, "recorded"]),
    );
    const sent = turnAnswers(protocol).map((body) => protocol.provider.unfold(body).events.join(""));
    expect(recorded.map(({ text }) => text)).toEqual(sent);
    expect(counts(await recording.end("packs"))).toEqual({ played: 0, recorded: 3, missed: 0, unused: 0 });
    await tapes.disconnect();

    const replaying = await tapes.start("replay");
    for (let run = 0; run < 2; run += 1) {
      await replaying.begin("packs");
      const played = await converse(protocol);
      const comparable = ({ text, headers }: Received) => [text, headers["content-type"]];
      expect(played.map(comparable)).toEqual(recorded.map(comparable));
      expect(counts(await replaying.end("packs"))).toEqual({ played: 3, recorded: 0, missed: 0, unused: 0 });
    }
  },
);

describe("a tape", () => {
  const protocol = protocols.chat;
  const request = protocol.requestOf(question);
  const send = (body: Json = request) => tapes.send(protocol, "packs", body);

  /** Records the conversation. */
  async function record() {
    await tapes.serve(...answersOf(protocol), ...answersOf(protocol));
    const proxy = await tapes.start("auto");
    await converse(protocol);
    return proxy;
  }

  it("has one file an exchange, which continues the one before, and no secret", async () => {
    const secret = "sk-proj-Key0000Key1111Key2222Key3333Key4444";
    await tapes.serve(...answersOf(protocol));
    await tapes.start("auto");
    await converse(protocol, `${question} ${secret}`, { authorization: `Bearer ${secret}` });
    const files = ["001.cassette.json", "002.cassette.json", "003.cassette.json"];
    expect(await readdir(pathOf(""))).toEqual([...files, "tape.json"]);
    const tape = JSON.parse(await readFile(pathOf("tape.json"), "utf8"));
    expect(tape).toMatchObject({
      schema: "tape/1",
      test: "packs",
      exchanges: [
        { file: files[0], request: "openai-chat POST /v1/chat/completions", parent: null },
        { file: files[1], parent: files[0] },
        { file: files[2], parent: files[1] },
      ],
    });
    for (const file of files) {
      const text = await readFile(pathOf(file), "utf8");
      expect(text).not.toContain("Key1111");
      expect(parseCassette(Buffer.from(text)).cassette.provenance.kind).toBe("recorded");
      // One event a line.
      const lines = text.split("\n").filter((line) => line.includes('"s":"data: '));
      expect(lines.every((line) => line.split("data: ").length === 2)).toBe(true);
    }
  });

  it("plays equal requests in the order in which they were recorded, and no more often", async () => {
    const bodies = [1, 2, 3].map((n) => protocol.answerOf({ text: `It is ${n}.`, calls: [] }, `r${n}`));
    const [first = {}, ...others] = bodies;
    const limit: Answer = (response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "20" });
      response.end(JSON.stringify(protocol.provider.errorBody({ status: 429, message: "Slow down.", requestId: "" })));
    };
    await tapes.serve(streamAnswer(protocol, first), limit, ...others.map((body) => streamAnswer(protocol, body)));
    const recording = await tapes.start("record");
    const run = async () => {
      const received: Received[] = [];
      for (let index = 0; index < 4; index += 1) received.push(await send());
      return received.map(({ status, text }) => [status, text]);
    };
    const recorded = await run();
    expect(recorded.map(([status]) => status)).toEqual([200, 429, 200, 200]);
    await recording.end("packs");
    await tapes.start("replay");
    expect(await run()).toEqual(recorded);
    const again = await send();
    expect([again.status, again.text]).toEqual([
      424,
      expect.stringMatching(/was recorded 4 times, and each recording has been played/),
    ]);
  });

  it("accepts another result of a tool, and says so", async () => {
    await record();
    const replaying = await tapes.start("replay");
    const [, next = {}] = turnRequests(protocol, question, () => "It rains.");
    expect([(await send()).status, (await send(next)).status]).toEqual([200, 200]);
    expect((await replaying.end("packs"))?.accepted).toMatchObject([
      { file: "002.cassette.json", differences: [{ pointer: "/messages/2/content", after: "It rains." }] },
    ]);
    await replaying.begin("packs", { exact: true });
    expect([(await send()).status, (await send(next)).status]).toEqual([200, 424]);
  });

  it("does not accept a long result of a tool that hides another difference", async () => {
    const { gemini } = protocols;
    await tapes.serve(streamAnswer(gemini, gemini.answerOf({ text: "Hi", calls: [] }, "g1")));
    await tapes.start("auto");
    const ask = async (value: number, system: string) => {
      const functionResponse = { name: "f", response: { rows: Array.from({ length: 200 }, () => value) } };
      const contents = [{ role: "user", parts: [{ functionResponse }] }];
      const body = { contents, systemInstruction: { parts: [{ text: system }] } };
      return (await tapes.send(gemini, "packs", body)).status;
    };
    await ask(1, "Be kind.");
    await tapes.start("replay");
    expect([await ask(2, "Be cruel."), await ask(2, "Be kind.")]).toEqual([424, 200]);
  });

  it("is read again when the test begins again, with the fields that the test declares now", async () => {
    const proxy = await record();
    await proxy.begin("packs", { mode: "replay" });
    expect((await send({ ...request, seed: 2 })).status).toBe(424);
    await proxy.begin("packs", { mode: "replay", volatile: ["/seed"] });
    expect((await send({ ...request, seed: 2 })).status).toBe(200);
  });

  it("belongs to one test", async () => {
    await tapes.serve(...answersOf(protocol));
    await tapes.start("auto");
    await tapes.send(protocol, "packs a bag", request);
    const other = await tapes.send(protocol, "packs-a-bag", request);
    expect(other.status).toBe(500);
    expect(other.text).toContain('is the tape of \\"packs a bag\\". Rename this test or that one');
  });

  it("has no secret of a body that is no JSON object", async () => {
    await tapes.serve((response) => void response.end("{}"));
    const proxy = await tapes.start("auto");
    const key = `sk-proj-${"A1".repeat(25)}`;
    for (const body of [JSON.stringify([{ key }]), `key=${key}&n=1`]) {
      await (await fetch(`${proxy.baseUrl("packs", "openai")}/files`, { method: "POST", body })).text();
    }
    expect((await proxy.end("packs"))?.redactions).toBe(2);
    for (const name of ["001", "002"])
      expect(await readFile(pathOf(`${name}.cassette.json`), "utf8")).not.toContain("A1A1");
  });

  it("plays more than 999 equal requests in their order", async () => {
    const bodies = ["a", "b"].map((text) => protocol.answerOf({ text, calls: [] }, text));
    await tapes.serve(...bodies.map((body) => streamAnswer(protocol, body)));
    const proxy = await tapes.start("auto");
    await send();
    // The next file after the last of three digits.
    const list = JSON.parse(await readFile(pathOf("tape.json"), "utf8"));
    await rename(pathOf("001.cassette.json"), pathOf("999.cassette.json"));
    list.exchanges[0].file = "999.cassette.json";
    await writeFile(pathOf("tape.json"), JSON.stringify(list));
    await proxy.begin("packs");
    const texts = [(await send()).text, (await send()).text];
    expect((await readdir(pathOf(""))).sort()).toEqual(["1000.cassette.json", "999.cassette.json", "tape.json"]);
    await proxy.begin("packs");
    expect([(await send()).text, (await send()).text]).toEqual(texts);
  });

  it("ignores declared fields, and nothing else", async () => {
    await writeFile(
      join(tapes.folder, "tapedeck.config.json"),
      JSON.stringify({ volatile: ["/messages/*/name", "/seed"] }),
    );
    await tapes.serve(...answersOf(protocol));
    await tapes.start("auto");
    const ask = (seed: number, temperature: number) =>
      send({ ...request, messages: [{ role: "user", content: question, name: `user-${seed}` }], seed, temperature });
    await ask(1, 0);
    await tapes.start("replay");
    expect((await ask(2, 1)).text).toContain("/temperature was 0 and is now 1");
    expect((await ask(2, 0)).status).toBe(200);
  });

  it("has answers of configured servers, whose base URL may end with the version", async () => {
    const server = await tapes.serve(...answersOf(protocol));
    const upstreams = { gateway: { url: `${server.origin}/llm/v1`, provider: "openai-chat" } };
    const proxy = await tapes.start("auto", { upstreams });
    const response = await fetch(`${proxy.baseUrl("packs", "gateway")}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ ...request, stream: true }),
    });
    expect(await response.text()).toContain("[DONE]");
    expect(server.requests.map(({ path }) => path)).toEqual(["/llm/v1/chat/completions"]);
    const { cassette } = parseCassette(await readFile(pathOf("001.cassette.json")));
    expect(cassette).toMatchObject({ provider: "openai-chat", request: { path: "/v1/chat/completions" } });
  });

  it("keeps the fields that its own file declares when it is recorded again", async () => {
    await record();
    const text = await readFile(pathOf("tape.json"), "utf8");
    await writeFile(pathOf("tape.json"), text.replace('"volatile": []', '"volatile": ["/seed"]'));
    const proxy = await tapes.start("record");
    await converse(protocol);
    await proxy.end("packs");
    const tape = JSON.parse(await readFile(pathOf("tape.json"), "utf8"));
    expect(tape).toMatchObject({ volatile: ["/seed"], exchanges: [{}, {}, {}] });
  });

  it("is replaced only when the test has passed, in mode record", async () => {
    await record();
    const proxy = await tapes.start("record");
    const before = await readFile(pathOf("tape.json"), "utf8");
    const runOther = async (hasPassed: boolean) => {
      await proxy.begin("packs");
      await send(protocol.requestOf("Something else."));
      await proxy.end("packs", hasPassed);
      return readFile(pathOf("tape.json"), "utf8");
    };
    expect(await runOther(false)).toBe(before);
    expect(JSON.parse(await runOther(true)).exchanges).toHaveLength(1);
    expect(await readdir(join(tapes.folder, "tapes"))).toEqual(["packs"]);
  });

  it("is not to be deleted once a retry has passed, in any mode that records", async () => {
    await tapes.serve(...answersOf(protocols.chat));
    for (const mode of ["auto", "record"] as const) {
      const proxy = await tapes.start(mode);
      const attempt = async (hasPassed: boolean) => {
        await proxy.begin("packs");
        await tapes.send(protocols.chat, "packs", protocols.chat.requestOf(`In mode ${mode}?`));
        return (await proxy.end("packs", hasPassed))?.notes;
      };
      const kept =
        mode === "auto" ? / was recorded before the test failed: .* delete / : /^The test failed, so its old/;
      expect(await attempt(false)).toEqual([expect.stringMatching(kept)]);
      // What the first attempt recorded is still in doubt.
      expect(await attempt(false)).toEqual([expect.stringMatching(kept)]);
      await attempt(true);
      expect((await proxy.stop()).map(({ notes }) => notes)).toEqual([[]]);
    }
  });

  it("is not in doubt for the 405 of a server that has no stream for MCP", async () => {
    const { origin } = await tapes.serve((response) => void response.writeHead(405).end());
    const upstreams = { mcp: { url: origin, provider: "openai-chat" } };
    const proxy = await tapes.start("auto", { upstreams });
    const send = (method: string) => fetch(`${proxy.urlOf("packs")}/mcp/mcp`, { method });
    await send("GET");
    await send("POST");
    const notes = [expect.stringMatching(/^002\.cassette\.json was recorded with status 405: POST /)];
    expect(await proxy.end("packs")).toMatchObject({ recorded: 2, notes });
  });

  it("has a fault where the test asks for one", async () => {
    const proxy = await record();
    await proxy.begin("packs", {
      faults: [
        { call: 1, status: 529, retryAfterS: 1, code: "busy_error", message: "Later." },
        { call: 2, afterEvent: 2, do: "error" },
      ],
    });
    const failed = await send();
    expect([failed.status, failed.headers["retry-after"]]).toEqual([529, "1"]);
    expect(JSON.parse(failed.text).error).toMatchObject({ code: "busy_error", message: "Later." });
    const broken = await send();
    expect(broken.text.split("\n\n").length).toBe(4);
    expect(broken.text).toContain("because the test asks for it");
    await proxy.begin("packs", { faults: [{ call: 1, afterEvent: 2, do: "cut" }] });
    expect((await send()).text).toMatch(/\(cut\)$/);
    await proxy.begin("packs", { faults: [{ call: 1, rechunk: 999_999 }] });
    await send();
    expect((await proxy.end("packs"))?.notes.join()).toContain("on call 1, rechunk=");
    await proxy.begin("packs", { answers: [{ text: "x".repeat(70_000) }], faults: [{ call: 1, rechunk: 1 }] });
    expect((await send()).status).toBe(200);
    expect((await proxy.end("packs"))?.notes.join()).toContain("rechunk=1 would add ");
  });

  it("is divided so that the reads of fetch divide characters, also at maximum speed", async () => {
    await tapes.serve(streamAnswer(protocol, protocol.answerOf({ text: "äöü".repeat(20), calls: [] }, "a1")));
    const proxy = await tapes.start("auto");
    await send();
    const readDivided = async () => {
      await proxy.begin("packs", { faults: [{ call: 1, rechunk: 1 }] });
      const url = `${proxy.baseUrl("packs", "openai")}/chat/completions`;
      const { body } = await fetch(url, { method: "POST", body: JSON.stringify(request) });
      const reads: Uint8Array[] = [];
      for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) reads.push(bytes);
      return reads;
    };
    const isDivided = (bytes: Uint8Array) => !isUtf8(bytes);
    await expect.poll(async () => (await readDivided()).some(isDivided)).toBe(true);
    expect(Buffer.concat(await readDivided()).toString()).toContain("äöü");
  });

  it("lets SDKs retry the error of a fault at once at maximum speed, unless the test says when", async () => {
    const proxy = await record();
    const delayOf = async (fault: Record<string, unknown>) => {
      await proxy.begin("packs", { faults: [{ call: 1, status: 429 }], ...fault });
      const { status, headers } = await send();
      return [status, headers["retry-after-ms"]];
    };
    expect(await delayOf({})).toEqual([429, "1"]);
    expect(await delayOf({ faults: [{ call: 1, status: 529, retryAfterS: 1 }] })).toEqual([529, undefined]);
    expect(await delayOf({ faults: [{ call: 1, status: 400 }] })).toEqual([400, undefined]);
    expect(await delayOf({ speed: "recorded" })).toEqual([429, undefined]);
  });

  it("that Git LFS has not fetched is named as its pointer", async () => {
    await record();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 9\n`;
    await writeFile(pathOf("tape.json"), pointer);
    await tapes.start("replay");
    expect((await send()).text).toMatch(
      /tape\.json:?1? is a pointer of Git LFS: run git lfs pull, or set lfs: true of actions/,
    );
  });

  it("that has an unresolved merge conflict is named with its line and what to do", async () => {
    await record();
    const lines = (await readFile(pathOf("tape.json"), "utf8")).split("\n");
    const sides = ["<<<<<<< HEAD", lines[2], "=======", lines[2], ">>>>>>> other"];
    await writeFile(pathOf("tape.json"), lines.toSpliced(2, 1, ...(sides as string[])).join("\n"));
    await tapes.start("replay");
    const { status, text } = await send();
    expect([status, text]).toEqual([
      500,
      expect.stringMatching(
        /tape\.json:3 has an unresolved merge conflict\. Restore its whole folder \(after a merge: git restore -SW --source MERGE_HEAD \S+\), or delete it\. Record what it lacks: .*run.* Then remove .*prune/,
      ),
    ]);
    const list = JSON.parse(lines.join("\n"));
    await writeFile(
      pathOf("tape.json"),
      JSON.stringify({ ...list, exchanges: [...list.exchanges, ...list.exchanges] }),
    );
    expect((await send()).text).toContain("names 001.cassette.json twice, as Git may merge two lists");
  });

  it("that was edited by hand is named with its line", async () => {
    await record();
    const path = pathOf("002.cassette.json");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"title":', '"title" oops:'));
    await tapes.start("replay");
    const broken = await send();
    expect([broken.status, broken.text]).toEqual([
      500,
      expect.stringMatching(/002\.cassette\.json:4 is not valid JSON/),
    ]);
    await writeFile(path, text.replace("data: ", "dada: "));
    const [first, second] = await converse(protocol);
    expect([first?.status, second?.status]).toEqual([200, 500]);
    expect(second?.text).toMatch(/002\.cassette\.json integrity\.body_sha256 does not match/);
  });
});

describe("what cannot be stored", () => {
  const protocol = protocols.anthropic;
  const send = () => tapes.send(protocol, "packs", protocol.requestOf(question));

  it.each<[string, Answer, () => Promise<unknown>, RegExp]>([
    [
      "a refused key",
      (response) => void response.writeHead(401, { "content-type": "application/json" }).end("{}"),
      async () => expect((await send()).status).toBe(401),
      /refused with 401 and not stored: check the API key/,
    ],
    [
      "a redirect",
      (response) => void response.writeHead(307, { location: "http://127.0.0.1:9/elsewhere" }).end(),
      () => expect(send()).rejects.toThrow("fetch failed"),
      /redirected with 307 and not stored/,
    ],
    [
      "a cut connection",
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream", "content-length": "9999" });
        response.write("event: ping\ndata: {}\n\n", () => response.destroy());
      },
      async () => expect((await send()).text).toMatch(/\(cut\)$/),
      /was not stored: the server cut the connection\.$/,
    ],
  ])("%s is passed on, told, and missed in mode auto", async (_name, answer, check, note) => {
    for (const [mode, missed] of [
      ["auto", 1],
      ["record", 0],
    ] as const) {
      await tapes.serve(answer);
      const proxy = await tapes.start(mode);
      await check();
      const report = await proxy.end("packs");
      expect(report?.notes[0]).toMatch(note);
      expect(counts(report)).toMatchObject({ recorded: 0, missed });
      expect(await readdir(tapes.folder)).toEqual([]);
    }
  });

  it("is not a 304, which is recorded and played", async () => {
    await tapes.serve((response) => void response.writeHead(304, { etag: '"1"' }).end());
    for (const count of ["recorded", "played"]) {
      const proxy = await tapes.start("auto");
      const headers = { "if-none-match": '"1"' };
      expect((await fetch(`${proxy.baseUrl("packs", "anthropic")}/v1/models`, { headers })).status).toBe(304);
      expect(counts(await proxy.end("packs"))).toMatchObject({ [count]: 1, missed: 0 });
    }
  });

  it("is not an answer whose client leaves in the middle: it is recorded whole", async () => {
    const { events } = protocol.provider.unfold(turnAnswers(protocol)[0] ?? {});
    const gone = deferred();
    const sent = deferred();
    await tapes.serve(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(events[0]);
      await gone.promise;
      response.end(events.slice(1).join(""), () => sent.resolve());
    });
    const proxy = await tapes.start("auto");
    const stop = new AbortController();
    const { body } = await fetch(`${proxy.baseUrl("packs", "anthropic")}/v1/messages`, {
      method: "POST",
      body: JSON.stringify(protocol.requestOf(question)),
      signal: stop.signal,
    });
    await body?.getReader().read();
    stop.abort();
    gone.resolve();
    await sent.promise;
    expect(await proxy.end("packs")).toMatchObject({ recorded: 1, misses: [], notes: [], unwritten: 0 });
  });

  it("an answer that never ends does not hold up the test that begins again", async () => {
    const [first = ""] = protocol.provider.unfold(turnAnswers(protocol)[0] ?? {}).events;
    const server = await tapes.serve(stallAfter(Buffer.from(first)));
    const proxy = await tapes.start("auto");
    const hanging = send();
    await expect.poll(() => server.requests.length).toBe(1);
    await proxy.begin("packs");
    expect((await hanging).text).toMatch(/\(cut\)$/);
    expect(await readdir(tapes.folder)).toEqual([]);
  });
});
