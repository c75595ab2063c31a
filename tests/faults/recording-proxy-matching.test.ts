import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { ServerResponse } from "node:http";
import { join, relative } from "node:path";
import { expect, it, vi } from "vitest";
import { commandLine, quoteArgument } from "#lib/platform/command-line";
import { createRandom } from "#lib/replay/cassettes/index";
import { findSimilar } from "#lib/replay/recording-proxy/changing-text";
import { describeReports, type RecordingProxy, readConfig, tapeFolder } from "#lib/replay/recording-proxy/index";
import type { TestOptions } from "#lib/replay/recording-proxy/test-sessions";
import { type Json, protocols, question } from "#tests/support/conversation-protocols";
import { type Answer, errorOf } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { control, streamAnswer, testUrl, turnRequests } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

vi.mock("#lib/replay/recording-proxy/changing-text", { spy: true });

const chat = protocols.chat;
const anyKey = `sk-ant-api03-${"Ab3dEf6hIj9l".repeat(7)}`;
const test = "tests/test_trip.py > TestTrip > test_packs[Lisbon]";
const tapes = setUpProxy();
const url = () => testUrl(tapes.proxy.origin, test);
const send = (body: Json) => tapes.send(chat, test, body);

/** Records requests, each in a run of its own, and then replays. Returns the text of the first file. */
async function record(...requests: Json[]): Promise<string> {
  const answers = requests.map((_, index) =>
    streamAnswer(chat, chat.answerOf({ text: `Answer ${index} ☔`, calls: [] }, `r${index}`)),
  );
  await tapes.serve(...answers);
  const recording = await tapes.start("auto");
  for (const request of requests) {
    await recording.begin(test, { exact: true });
    await send(request);
  }
  await tapes.start("replay");
  return readFile(join(tapes.folder, "tapes", ...tapeFolder(test), "001.cassette.json"), "utf8");
}

it("none of two recordings is chosen that differ only in what tools returned", async () => {
  const requestOf = (output: string) => turnRequests(chat, question, () => output)[1] ?? {};
  await record(requestOf("It rains."), requestOf("It snows."));
  const received = [
    await send(requestOf("The sun shines.")),
    await send(requestOf("It rains.")),
    await send(requestOf("The sun shines.")),
  ];
  expect(received.map(({ status }) => status)).toEqual([424, 200, 200]);
  expect(received[0]?.text).toContain("2 recorded requests differ only in what tools returned, so none is chosen");
});

it.each([
  ["tool result", (word: string) => turnRequests(chat, question, () => word)[1] ?? {}, ["rain", "sun"]],
  ["time", (time: string) => chat.requestOf(`It is ${time}.`), ["2026-11-24T02:31:01Z", "2026-11-24T02:32:00Z"]],
] as const)(
  "a recording that a request with another %s got is still there for exactly its own",
  async (_what, requestOf, words) => {
    const [own, other] = words.map(requestOf) as [Json, Json];
    await record(own);
    await tapes.serve(streamAnswer(chat, chat.answerOf({ text: "Answer 1", calls: [] }, "r1")));
    await tapes.start("auto");
    const texts: string[] = [];
    for (const request of [other, own, own]) texts.push(/Answer \d/.exec((await send(request)).text)?.[0] ?? "");
    expect(texts).toEqual(["Answer 0", "Answer 0", "Answer 1"]);
    expect(await tapes.proxy.end(test)).toMatchObject({ played: 2, recorded: 1, unused: [] });
  },
);

it("an error and the answer to its retry are both played, also where what tools returned differs", async () => {
  const requestOf = (output: string) => turnRequests(chat, question, () => output)[1] ?? {};
  const answer = streamAnswer(chat, chat.answerOf({ text: "Answer 0", calls: [] }, "r"));
  await tapes.serve(errorOf(529, "overloaded_error", "Overloaded."), answer);
  await tapes.start("auto");
  for (let attempt = 0; attempt < 2; attempt += 1) await send(requestOf("It rains."));
  await tapes.start("replay");
  const statuses: number[] = [];
  for (const output of [...Array(3).fill("It snows."), ...Array(3).fill("It rains.")])
    statuses.push((await send(requestOf(output))).status);
  expect(statuses).toEqual([529, 200, 424, 529, 200, 424]);
});

it("headers of the configuration are compared too, and masked on the tape, but none with a credential", async () => {
  const configure = (...names: string[]) =>
    writeFile(join(tapes.folder, "tapedeck.config.json"), JSON.stringify({ compare_headers: names }));
  await configure("Anthropic-Beta", "x-tenant");
  const ask = (headers: Record<string, string>) =>
    fetch(`${url()}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test", ...headers },
      body: JSON.stringify(chat.requestOf(question)),
    });
  await tapes.serve(streamAnswer(chat, chat.answerOf({ text: "Answer 0", calls: [] }, "r0")));
  await tapes.start("auto");
  await (await ask({ "anthropic-beta": "tools", "x-tenant": `key ${anyKey}` })).text();
  await tapes.start("replay");
  const text = await readFile(join(tapes.folder, "tapes", ...tapeFolder(test), "001.cassette.json"), "utf8");
  expect([/"anthropic-beta": ?"tools"/.test(text), text.includes(anyKey)]).toEqual([true, false]);
  const missed = await ask({ "x-tenant": `key ${anyKey}` });
  expect([missed.status, await missed.text()]).toEqual([424, expect.stringContaining("/headers/anthropic-beta")]);
  expect((await ask({ "anthropic-beta": "tools", "x-tenant": `key ${anyKey}` })).status).toBe(200);
  await configure("authorization");
  await expect(readConfig(tapes.folder)).rejects.toThrow("compare_headers.0: has a credential, which is never stored");
});

it("a miss says that the base URL of its client lacks /v1", async () => {
  await record(chat.requestOf(question));
  const ask = (path: string) => fetch(url() + path, { method: "POST", body: "{}" }).then((response) => response.text());
  expect(await ask("/anthropic/messages")).toContain("The base URL of its client seems to lack /v1.");
  expect(await ask("/anthropic/v1/messages")).not.toContain("seems to lack");
});

it("a test that was renamed is told which tape has its request, and how to keep it", async () => {
  await record(chat.requestOf(question));
  const renamed = "tests/test_trip.py > renamed";
  const ask = async (prompt: string) => (await tapes.send(chat, renamed, chat.requestOf(prompt))).text;
  const hint = "No test has used these tapes so far, which have this request. Was a test renamed?";
  const { message } = JSON.parse(await ask(question)).error;
  const [line = "", name, command] = new RegExp(`${hint.replace("?", "\\?")}\n {2}"(.+)": (.+)\n`).exec(message) ?? [];
  expect(line, message).not.toBe("");
  const root = join(tapes.folder, "tapes");
  expect({ name, command }).toEqual({
    name: test,
    command: `${commandLine("move")} --tapes ${quoteArgument(relative(process.cwd(), root))} '${test}' '${renamed}'`,
  });
  expect(await ask("Something else?")).not.toContain("renamed?");
  // Later, that test runs too.
  await send(chat.requestOf(question));
  expect(await ask(question)).not.toContain("renamed?");
  expect(JSON.stringify(describeReports(await tapes.proxy.stop()))).not.toContain("renamed?");
  const move = (from: string, to: string) => runCommand(["move", "--tapes", root, from, to]);
  expect(await move(test, renamed)).toMatchObject({ code: 0, stdout: expect.stringContaining(`is now "${renamed}"`) });
  expect(await readdir(join(root, ...tapeFolder(test), "../.."))).toEqual(["test-trip-py"]);
  await tapes.open("replay");
  expect((await tapes.send(chat, renamed, chat.requestOf(question))).status).toBe(200);
  const isGone = await move(test, renamed);
  expect(isGone).toMatchObject({ code: 2, stderr: expect.stringContaining(`${test} is not the whole name`) });
});

it("of several tapes with a request of a renamed test, three are named, those of its file first", async () => {
  const answer = streamAnswer(chat, chat.answerOf({ text: "Pack a coat.", calls: [] }, "r1"));
  const names = ["a.py > one", "b.py > two", "c.py > three", "d.py > four", "d.py > five"];
  await tapes.serve(...names.map(() => answer));
  await tapes.start("auto");
  for (const name of names) await tapes.send(chat, name, chat.requestOf(question));
  await tapes.start("replay");
  const { message } = JSON.parse((await tapes.send(chat, "d.py > new", chat.requestOf(question))).text).error;
  expect([...message.matchAll(/^ {2}"(.+)": /gm)].map(([, name]) => name)).toEqual([
    "d.py > five",
    "d.py > four",
    "a.py > one",
  ]);
  const said = describeReports(await tapes.proxy.stop()).join("\n");
  expect(said).toContain(
    '. Was the test renamed? It is on the tape of "d.py > five" or "d.py > four" or "a.py > one", which did not run.',
  );
  expect(said).toMatch(
    /\n {2}Keep the recordings of a renamed test: .*move .*d\.py > five.*\n {2}Else record it with: /,
  );
  const root = join(tapes.folder, "tapes");
  const move = (from: string, to: string) => runCommand(["move", "--tapes", root, from, to]);
  const refused = (code: number, text: string) => ({ code, stderr: expect.stringContaining(text) });
  const isTaken = refused(1, '"b.py > two" has a tape already, in ');
  expect(await move("a.py > one", "b.py > two")).toMatchObject(isTaken);
  const target = join(root, ...tapeFolder("b.py > two"));
  // Cassettes without a list are a tape, too.
  await rm(join(target, "tape.json"));
  expect(await move("a.py > one", "b.py > two")).toMatchObject(isTaken);
  expect(await move("a.py > one", " ")).toMatchObject(refused(1, "The new name of the test is empty."));
  for (const part of ["one", relative(process.cwd(), join(root, "a-py"))])
    expect(await move(part, "e.py > new")).toMatchObject(refused(2, `${part} is not the whole name of one test`));
  expect(await move(join(root, ...tapeFolder("a.py > one")), "e.py > new")).toMatchObject({ code: 0 });
});

it("a tape that a killed run was putting in the place to which one is moved is completed first", async () => {
  await record(chat.requestOf(question));
  const [root, renamed] = [join(tapes.folder, "tapes"), "tests/test_trip.py > renamed"];
  const target = join(root, ...tapeFolder(renamed));
  const ready = `${target}.ready`;
  await cp(join(root, ...tapeFolder(test)), ready, { recursive: true });
  const list = await readFile(join(ready, "tape.json"), "utf8");
  await writeFile(join(ready, "tape.json"), list.replace(test, renamed));
  expect(await runCommand(["move", "--tapes", root, test, renamed])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has a tape already"),
  });
  expect((await readdir(target)).sort()).toEqual(["001.cassette.json", "tape.json"]);
  expect(await readdir(join(target, ".."))).not.toContain("renamed.ready");
});

it("the tapes of a file of tests that was renamed move together, all or none", async () => {
  const answer = streamAnswer(chat, chat.answerOf({ text: "Pack a coat.", calls: [] }, "r1"));
  const root = join(tapes.folder, "tapes");
  const [old, file] = ["old.test.ts", "new.test.ts"].map((name) => relative(process.cwd(), join(tapes.folder, name)));
  const names = [`${old} > one`, `${old} > of a group > two`, `${file} > one`];
  await tapes.serve(answer, answer, answer);
  await tapes.start("auto");
  for (const name of names) await tapes.send(chat, name, chat.requestOf(question));
  const move = () => runCommand(["move", "--tapes", root, `${old}`, `${file}`]);
  expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('one" has a tape already') });
  await rm(join(root, ...tapeFolder(names[2] as string)), { recursive: true });
  await tapes.start("replay");
  const send = async (name: string) => (await tapes.send(chat, name, chat.requestOf(question))).text;
  const command = (...args: (string | undefined)[]) =>
    `move --tapes ${quoteArgument(relative(process.cwd(), root))} ${args.map((arg) => quoteArgument(`${arg}`)).join(" ")}`;
  // Where the new file is not there, or the old one still is, a test may have moved alone.
  expect(JSON.parse(await send(`${file} > one`)).error.message).toContain(command(names[0], `${file} > one`));
  await writeFile(join(tapes.folder, "new.test.ts"), "");
  expect(JSON.parse(await send(`${file} > one`)).error.message).toContain(`${command(old, file)}\n`);
  await writeFile(join(tapes.folder, "old.test.ts"), "");
  expect(JSON.parse(await send(`${file} > one`)).error.message).toContain(command(names[0], `${file} > one`));
  const { code, stdout } = await move();
  expect({ code, lines: stdout.match(/is now/g) }).toEqual({ code: 0, lines: ["is now", "is now"] });
  await tapes.start("replay");
  for (const name of [`${file} > one`, `${file} > of a group > two`]) expect(await send(name)).toContain("coat");
});

const advice = "If this changes in each run, name it under volatile_text";

it("a prompt with the date is recorded on each day, until what changes is named under volatile_text", async () => {
  const answers = [0, 1, 2].map((index) =>
    streamAnswer(chat, chat.answerOf({ text: `Answer ${index}`, calls: [] }, `r${index}`)),
  );
  await tapes.serve(...answers);
  const askOn = (day: string) => send(chat.requestOf(`Today is ${day} November 2026. ${question}`));
  await tapes.start("auto");
  await askOn("Friday, 27");
  await tapes.start("auto");
  await askOn("Saturday, 28");
  const summary = describeReports(await tapes.proxy.stop());
  const first = summary.indexOf("  recorded again, since few words differ from a recording that nothing asked for: 1");
  expect(summary.slice(first + 1, first + 3)).toEqual([
    `    ${test}, 001.cassette.json: "Friday, 27" is now "Saturday, 28"`,
    expect.stringContaining(`    ${advice}`),
  ]);
  await tapes.start("replay");
  expect(JSON.parse((await askOn("Sunday, 29")).text).error.message).toContain(`\n${advice}`);
  expect(describeReports(await tapes.proxy.stop()).join("\n")).toContain(`\n  ${advice}`);
  await tapes.start("auto", { volatile_text: ["Today is .+? 2026\\."] });
  expect((await askOn("Monday, 30")).text).toContain("Answer 0");
  expect(describeReports(await tapes.proxy.stop()).join()).not.toContain("recorded again");
});

it("a text that redact removes since it was recorded is named as the reason, and not as volatile", async () => {
  const asked = chat.requestOf("You work for Acme Holdings. What next?");
  await record(asked);
  await tapes.start("replay", { redact: ["Acme Holdings"] });
  const { message } = JSON.parse((await send(asked)).text).error;
  expect(message).toMatch(
    /has a text that is removed from requests now, by redact .* from the tapes: .*tapedeck -- redact/,
  );
  expect(message).not.toContain(advice);
});

it("volatile_text is not advised where it changes nothing", async () => {
  const on = (day: number) => chat.requestOf(`Today is ${day} November 2026. ${question}`);
  await record(on(27), on(28));
  const messageOf = async (day: number) => JSON.parse((await send(on(day))).text).error.message;
  expect(await messageOf(29)).toContain(advice);
  await send(on(27));
  // Exactly this request was recorded, all recordings have been played, or requests match exactly.
  expect(await messageOf(27)).not.toContain(advice);
  await send(on(28));
  expect(await messageOf(29)).not.toContain(advice);
  await tapes.start("replay", { exact: true });
  expect(await messageOf(29)).not.toContain(advice);
  await tapes.serve(streamAnswer(chat, chat.answerOf({ text: "Pack a coat.", calls: [] }, "r2")));
  await tapes.start("auto", { exact: true });
  await send(on(29));
  expect(describeReports(await tapes.proxy.stop()).join()).not.toContain("recorded again");
});

it("a client has its answer before the request is compared with recordings that are left", async () => {
  await record(chat.requestOf(`${question} Day 1 of 3.`));
  await tapes.serve(streamAnswer(chat, chat.answerOf({ text: "Pack a coat.", calls: [] }, "r2")));
  await tapes.start("auto");
  const end = vi.spyOn(ServerResponse.prototype, "end");
  const similar = vi.mocked(findSimilar).mockClear();
  await send(chat.requestOf(`${question} Day 2 of 3.`));
  await tapes.proxy.stop();
  const answered = end.mock.invocationCallOrder.at(-1);
  end.mockRestore();
  expect(similar).toHaveBeenCalledOnce();
  expect(similar.mock.invocationCallOrder[0]).toBeGreaterThan(answered as number);
});

it("a request that is new, and not like one that nothing asks for, counts as recorded only", async () => {
  await record(chat.requestOf(`${question} Day 1 of 3.`));
  const answer = streamAnswer(chat, chat.answerOf({ text: "Pack a coat.", calls: [] }, "r2"));
  await tapes.serve(answer, answer);
  await tapes.start("auto");
  await send(chat.requestOf(`${question} Day 2 of 3.`));
  await send(chat.requestOf(`${question} Day 1 of 3.`));
  expect(describeReports(await tapes.proxy.stop()).join()).not.toContain("recorded again");
});

it("a secret that the tape masks is matched by its length, and what is around it exactly", async () => {
  const requestOf = (letter: string, length = 40, around = "**My** key") =>
    chat.requestOf(`${around} is sk-proj-${letter.repeat(length)}7. ${question}`);
  expect(await record(requestOf("A"))).not.toContain("AAAA");
  const received = [
    await send(requestOf("B", 41)),
    await send(requestOf("B", 40, "**Ny** key")),
    await send(requestOf("B", 40, "xxMy** key")),
    await send(requestOf("B")),
  ];
  expect(received.map(({ status }) => status)).toEqual([424, 424, 424, 200]);
  expect(received.map(({ text }) => text).join()).not.toContain("BBBB");
});

it("a short text of the configuration is masked where it is a word of its own", async () => {
  await writeFile(join(tapes.folder, "tapedeck.config.json"), JSON.stringify({ redact: ["Jan"] }));
  const requestOf = (name: string) => chat.requestOf(`January: what does ${name} pack?`);
  expect(await record(requestOf("Jan"))).toContain("January: what does *** pack?");
  const received = [await send(requestOf("Jane")), await send(requestOf("Jan"))];
  expect(received.map(({ status }) => status)).toEqual([424, 200]);
});

it("a fault that does not act is told, and why", async () => {
  await record(chat.requestOf(question));
  const sendWith = async (fault: Json) => {
    await control(url(), tapes.proxy.token, "begin", { faults: [fault] });
    const { text } = await send(chat.requestOf(question));
    return { text, notes: (await control(url(), tapes.proxy.token, "end", { passed: true })).notes };
  };
  const notesOf = async (fault: Json) => {
    const { text, notes } = await sendWith(fault);
    return { isCut: text.endsWith("(cut)"), notes };
  };
  expect(await notesOf({ call: 1, afterEvent: 0 })).toEqual({ isCut: true, notes: [] });
  expect(await notesOf({ call: 1, rechunk: 1, stallMs: 5, firstByteMs: 5 })).toEqual({ isCut: false, notes: [] });
  const tooLate = [
    expect.stringMatching(/^Fault 1 was not used; on call 1, .* this answer has \d events\. Ask for fewer\.$/),
  ];
  expect(await notesOf({ call: 1, afterEvent: 99 })).toEqual({ isCut: false, notes: tooLate });
  const ended = await sendWith({ call: 1, afterEvent: 1, do: "end" });
  expect([ended.text.split("\n\n").length, ended.text.includes("[DONE]"), ended.notes]).toEqual([2, false, []]);
  expect((await sendWith({ call: 1, afterEvent: 0, do: "end" })).text).toBe("");
  const eventCount = (await sendWith({ call: 1, stallMs: 1 })).text.split("\n\n").length - 1;
  expect((await sendWith({ call: 1, afterEvent: eventCount, do: "end" })).notes).toEqual(tooLate);
  const notCalled = ["Fault 1 was not used; number of calls: 1."];
  expect(await notesOf({ call: 2, status: 500 })).toEqual({ isCut: false, notes: notCalled });
});

it.each(["auto", "record"] as const)(
  "mode %s records an answer whole, and gives it to the client with its fault",
  async (mode) => {
    const texts = ["Pack a coat.", "Pack two coats.", "Pack a hat.", "Pack boots."];
    const answers = texts.map((text, index) => streamAnswer(chat, chat.answerOf({ text, calls: [] }, `r${index}`)));
    const refused: Answer = (response) =>
      void response.writeHead(401, { "content-type": "application/json" }).end("{}");
    const broken: Answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n", () => response.destroy());
    };
    const { requests } = await tapes.serve(...answers, refused, broken);
    const faults: Json[] = [
      { call: 1, afterEvent: 2, do: "cut" },
      { call: 3, afterEvent: 1, do: "error", rechunk: 1 },
      { call: 4, jitterMs: 1, seed: 7 },
    ];
    /** The second request is the retry of the first one. */
    const askAll = async (proxy: RecordingProxy, all: Json[]) => {
      await proxy.begin(test, { faults: all as TestOptions["faults"] });
      const received: string[] = [];
      for (const prompt of [question, question, "A hat?", "Boots?"])
        received.push((await send(chat.requestOf(prompt))).text);
      return { received, report: await proxy.end(test) };
    };
    const recorded = await askAll(await tapes.start(mode), faults);
    expect(recorded.report).toMatchObject({ requests: 4, recorded: 4, played: 0, misses: [], notes: [] });
    expect(recorded.received[0]).toMatch(/\(cut\)$/);
    expect(recorded.received[2]).toContain('"error"');
    expect(requests).toHaveLength(4);
    const proxy = await tapes.open("replay");
    expect((await askAll(proxy, faults)).received).toEqual(recorded.received);
    const whole = await askAll(proxy, []);
    expect(whole.report).toMatchObject({ misses: [], unused: [] });
    expect(whole.received.map((text) => text.includes("[DONE]"))).toEqual([true, true, true, true]);
    expect(whole.received.slice(1, 2)).toEqual(recorded.received.slice(1, 2));
    // What cannot be stored is passed on as it came.
    await tapes.start("record");
    await tapes.proxy.begin(test, { faults: [1, 2].map((call) => ({ call, afterEvent: 0 })) });
    expect(await send(chat.requestOf("No key?"))).toMatchObject({ status: 401, text: "{}" });
    expect((await send(chat.requestOf("Broken?"))).text).toBe("data: {}\n\n(cut)");
    const notes = [1, 2].map((call) => `Fault ${call} was not used; the answer to call ${call} was not played.`);
    expect((await tapes.proxy.end(test, false))?.notes).toEqual(expect.arrayContaining(notes));
  },
);

/** Plays the recording with a fault. Returns the response's headers, the time of each piece, and the report. */
async function play(fault: Json) {
  expect(await control(url(), tapes.proxy.token, "begin", { faults: [{ call: 1, ...fault }] })).not.toHaveProperty(
    "error",
  );
  const startedMs = performance.now();
  const response = await fetch(`${url()}/openai/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...chat.requestOf(question), stream: true }),
  });
  let text = "";
  const arrivals: { atMs: number; byteSize: number }[] = [];
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(piece).toString("latin1");
    arrivals.push({ atMs: performance.now() - startedMs, byteSize: text.length });
  }
  return {
    seed: response.headers.get("x-tapedeck-seed"),
    text,
    arrivals,
    report: await control(url(), tapes.proxy.token, "report"),
  };
}

it("random delays are those of the seed, and not less", async () => {
  await record(chat.requestOf(question));
  const { seed, text, arrivals, report } = await play({ jitterMs: 40, seed: 7 });
  expect({ seed, notes: report.notes }).toEqual({ seed: "7", notes: [] });
  const events = text.split(/(?<=\n\n)/);
  expect(events.length).toBeGreaterThan(2);
  const random = createRandom(7);
  let earliestMs = 0;
  let byteSize = 0;
  for (const event of events) {
    earliestMs += random.integer(0, 40);
    byteSize += event.length;
    const { atMs = 0 } = arrivals.find((each) => each.byteSize >= byteSize) ?? {};
    // Timers round down to whole milliseconds.
    expect(atMs).toBeGreaterThan(earliestMs - 2 * events.length);
  }
  expect(earliestMs).toBeGreaterThan(10 * events.length);
  const undelayed = await play({});
  expect(undelayed.text).toBe(text);
  expect(undelayed.seed).toBeNull();
});

it("a random seed of delays is named, and repeats them", async () => {
  await record(chat.requestOf(question));
  const first = await play({ jitterMs: 2 });
  expect(first.seed).toMatch(/^\d+$/);
  const note = `The random delays of 001.cassette.json have the seed ${first.seed}. Set it as the seed of the fault to repeat them.`;
  expect(first.report.notes).toEqual([note]);
  expect((await play({ jitterMs: 2 })).seed).not.toBe(first.seed);
  const again = await play({ jitterMs: 2, seed: Number(first.seed) });
  expect(again).toMatchObject({ seed: first.seed, text: first.text, report: { notes: [] } });
});

const volatilePrompt = (time: string, id: string, path: string, word = "quickly") =>
  `It is ${time}. Run ${id} reads ${path}/notes.txt ${word}.`;
const first = ["2026-11-24T02:31:00.123Z", "0b9c2a54-3c1e-4a55-9d6f-5a2f8b1c7d10", "/tmp/notes-Xy12"] as const;
const second = [
  "2026-11-24T03:31:59+01:00",
  "7f000000-1111-4222-8333-444455556666",
  "/tmp/pytest-of-me/pytest-7",
] as const;

it("a request that differs in a time, a UUID and a temporary path matches, and the difference is reported", async () => {
  await record(chat.requestOf(volatilePrompt(...first)));
  expect((await send(chat.requestOf(volatilePrompt(...second)))).status).toBe(200);
  const report = await tapes.proxy.end(test);
  expect(report).toMatchObject({ played: 1, misses: [], accepted: [{ file: "001.cassette.json" }] });
  expect(report?.accepted[0]?.differences).toMatchObject([{ after: volatilePrompt(...second) }]);
});

it("of recordings that differ as much, the nearest is one that was not played, and then that with the shortest change", async () => {
  const cities = ["Lisbon?", "Rome in the spring, by train?", "Rome?"];
  const ask = (city: string) => chat.requestOf(`What should I pack for ${city}`);
  await record(...cities.map(ask));
  expect((await send(ask("Lisbon?"))).status).toBe(200);
  for (const [city, file] of [
    ["Porto in the spring, by train?", "002.cassette.json"],
    ["Porto?", "003.cassette.json"],
  ] as const) {
    expect((await send(ask(city))).status).toBe(424);
    const { misses } = (await tapes.proxy.begin(test)).total();
    expect(misses.at(-1)?.nearest?.file).toBe(file);
  }
});

it("a changed word beside such texts is a miss that names only the word, and so are they all with --exact", async () => {
  await record(chat.requestOf(volatilePrompt(...first)));
  expect((await send(chat.requestOf(volatilePrompt(...second, "slowly")))).status).toBe(424);
  const report = await tapes.proxy.end(test);
  expect(report?.misses[0]?.nearest?.differences).toEqual([
    {
      pointer: "/messages/0/content",
      before: volatilePrompt("<time>", "<uuid>", "<temporary>"),
      after: volatilePrompt("<time>", "<uuid>", "<temporary>", "slowly"),
    },
  ]);
  const long = (texts: readonly [string, string, string], word: string) => {
    const [message] = chat.requestOf(volatilePrompt(...texts)).messages as [Json];
    return { ...chat.requestOf(word), messages: [...Array(120).fill(message), { role: "user", content: word }] };
  };
  await record(long(first, "quickly"));
  expect((await send(long(second, "slowly"))).status).toBe(424);
  const { misses } = (await tapes.proxy.end(test)) ?? {};
  expect(misses?.[0]?.nearest?.differences).toMatchObject([{ pointer: "/messages/120/content", after: "slowly" }]);
  await tapes.start("replay", { exact: true });
  expect((await send(chat.requestOf(volatilePrompt(...second)))).status).toBe(424);
});

it("requests that differ only in such texts are played in their order, and an exact one before them", async () => {
  const times = ["2026-11-24T02:31:01Z", "2026-11-24T02:31:02Z", "2026-11-24T02:31:03Z"];
  const requestOf = (time: string) => chat.requestOf(`It is ${time}.`);
  await record(...times.map(requestOf));
  const texts: string[] = [];
  for (const time of [times[1] ?? "", "2026-11-24T02:32:00Z", "2026-11-24T02:32:01Z"])
    texts.push(/Answer \d/.exec((await send(requestOf(time))).text)?.[0] ?? "");
  expect(texts).toEqual(["Answer 1", "Answer 0", "Answer 2"]);
});

it.each(["replay", "auto"] as const)(
  "with repeat, the last recording that matches plays again in mode %s",
  async (mode) => {
    const timed = (minute: number) => chat.requestOf(`It is 2026-11-24T02:0${minute}:00Z.`);
    const withResult = (output: string) => turnRequests(chat, question, () => output)[1] ?? {};
    const asked = chat.requestOf("Once?");
    const recorded = [asked, asked, timed(1), timed(2), withResult("It rains.")];
    const answerOf = (index: number) => streamAnswer(chat, chat.answerOf({ text: `Answer ${index}`, calls: [] }, "r"));
    const { requests } = await tapes.serve(...recorded.map((_, index) => answerOf(index)));
    await tapes.start("auto");
    for (const body of recorded) await send(body);
    const count = requests.length;
    const numbers = async (...bodies: Json[]) => {
      const texts: (string | undefined)[] = [];
      for (const body of bodies) texts.push(/Answer (\d)/.exec((await send(body)).text)?.[1]);
      return texts;
    };
    await tapes.start(mode, { repeat: true, max_age: Number.MIN_VALUE });
    expect(await numbers(asked, asked, asked, asked)).toEqual(["0", "1", "1", "1"]);
    expect(await numbers(timed(3), timed(4), timed(5))).toEqual(["2", "3", "3"]);
    expect(await numbers(withResult("It snows."), withResult("It hails."))).toEqual(["4", "4"]);
    const report = await tapes.proxy.end(test);
    expect(report).toMatchObject({ played: 9, recorded: 0, misses: [], unused: [] });
    // The recordings that were played, not the requests for them.
    expect(report?.old.map(({ file }) => file)).toEqual([1, 2, 3, 4, 5].map((each) => `00${each}.cassette.json`));
    await tapes.start(mode, { repeat: true, match: "order" });
    expect(await numbers(...Array(6).fill(chat.requestOf("New?")))).toEqual(["0", "1", "2", "3", "4", "4"]);
    await tapes.start(mode, { repeat: true, match: "order" });
    // What is not played comes first, as if nothing repeated.
    expect(await numbers(...Array(6).fill(asked))).toEqual(["0", "1", "2", "3", "4", "1"]);
    expect(requests).toHaveLength(count);
  },
);

it.each([
  ["auto", "Answer 0"],
  ["replay", "Slow down."],
] as const)("with repeat, an error plays again in mode %s only if nobody can be asked", async (mode, last) => {
  const answer = streamAnswer(chat, chat.answerOf({ text: "Answer 0", calls: [] }, "r"));
  await tapes.serve(errorOf(429, "rate_limit_error", "Slow down."), answer);
  await tapes.start("auto");
  expect((await send(chat.requestOf("Once?"))).status).toBe(429);
  await tapes.start(mode, { repeat: true });
  expect((await send(chat.requestOf("Once?"))).text).toContain("Slow down.");
  for (let again = 0; again < 2; again++) expect((await send(chat.requestOf("Once?"))).text).toContain(last);
});

it("texts of expressions in the configuration are volatile, and an expression that is none is refused", async () => {
  const path = join(tapes.folder, "tapedeck.config.json");
  await writeFile(path, JSON.stringify({ volatile_text: ["build \\d+"] }));
  await record(chat.requestOf("Describe build 17 in short."));
  expect((await send(chat.requestOf("Describe build 42 in short."))).status).toBe(200);
  expect((await send(chat.requestOf("Describe build 42 at length."))).status).toBe(424);
  for (const expression of ["(", "x*"]) {
    await writeFile(path, JSON.stringify({ volatile_text: [expression] }));
    await expect(readConfig(tapes.folder)).rejects.toThrow(
      /volatile_text\.0: must (?:be a regular expression: |not match an empty text)/,
    );
  }
});
