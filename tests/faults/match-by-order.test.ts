import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeAll, describeReports } from "#lib/replay/recording-proxy/index";
import { addAccepted, addReports, emptyReport, type SessionReport } from "#lib/replay/recording-proxy/report";
import { type Json, protocols } from "#tests/support/conversation-protocols";
import { runCommand } from "#tests/support/run-cli";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();
const { chat } = protocols;
const answers = ["One.", "Two."].map((text) => chat.answerOf({ text, calls: [] }, text));
const ask = (text: string) => ({ ...chat.requestOf(text), stream: true });
const send = (text: string, test = "counts") => tapes.send(chat, test, ask(text));

/** Records two answers to two questions. */
async function record(test = "counts"): Promise<void> {
  await tapes.serve(...answers.map((answer) => streamAnswer(chat, answer)));
  const proxy = await tapes.start("record");
  for (const text of ["first", "second"]) await send(text, test);
  await proxy.end(test);
  await tapes.disconnect();
}

describe("by method, URL and order", () => {
  it("recordings are played whatever the bodies are, each once", async () => {
    await record();
    const proxy = await tapes.start("replay", { match: "order" });
    const texts = [await send("premier"), await send("deuxième")].map(({ status, text }) => [status, text]);
    expect(texts).toEqual([
      [200, expect.stringContaining("One.")],
      [200, expect.stringContaining("Two.")],
    ]);
    expect(await send("troisième")).toMatchObject({
      status: 424,
      text: expect.stringContaining("This method and URL was recorded 2 times, and each recording has been played"),
    });
    expect((await proxy.end("counts"))?.accepted).toMatchObject([
      { file: "001.cassette.json", isByOrder: true, differences: [{ pointer: "/messages/0/content" }] },
      { file: "002.cassette.json", isByOrder: true, differences: [{ pointer: "/messages/0/content" }] },
    ]);
  });

  it("the recording of exactly a request comes first, so that parallel requests get their own answers", async () => {
    await record();
    const proxy = await tapes.start("replay", { match: "order" });
    expect((await send("second")).text).toContain("Two.");
    expect((await send("premier")).text).toContain("One.");
    expect((await proxy.end("counts"))?.accepted).toMatchObject([{ file: "001.cassette.json" }]);
  });

  it("another URL is a miss, and a test that is exact stays so", async () => {
    await record();
    const proxy = await tapes.start("replay", { match: "order" });
    const other = await fetch(`${proxy.baseUrl("counts", "openai")}/embeddings`, { method: "POST", body: "{}" });
    expect(other.status).toBe(424);
    await proxy.begin("counts", { exact: true });
    expect((await send("premier")).status).toBe(424);
  });
});

it("run --match order lists by field what differed", async () => {
  await record("default");
  const question = (text: string) => JSON.stringify(JSON.stringify({ ...ask(text), temperature: 1 }));
  const program = `
    for (const body of [${question("premier")}, ${question("deuxième")}])
      await fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body });`;
  await writeFile(join(tapes.folder, "ask.mjs"), program);
  const run = (...flags: string[]) =>
    runCommand(["run", "--mode", "replay", ...flags, "--", "node", "ask.mjs"], { cwd: tapes.folder });
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining("0 played, 0 recorded, 2 missed") });
  const { code, stderr } = await run("--match", "order");
  expect(code).toBe(0);
  expect(stderr).toMatch(/^tapedeck: 2 played, 0 recorded, 0 missed, 0 unused\n/);
  expect(stderr).toContain(`
  played by order although the request differs: 2
    /messages/*/content (2): default, 001.cassette.json: /messages/0/content was "first" and is now "premier"
    /temperature (2): default, 001.cassette.json: /temperature is new: 1
`);
  expect(await run("--match", "order", "--exact")).toMatchObject({ code: 2 });
});

it("a run names requests whose tool results differ, why shows all of them, and --match results refuses them", async () => {
  const secret = `sk-proj-${"a1B2c3D4e5F6".repeat(4)}`;
  const messages = (result: string, more: Json[] = []) => [
    ...(chat.requestOf("Weather?").messages as Json[]),
    { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "call_1", content: result },
    ...more,
  ];
  const next = [{ role: "user", content: "And now?" }];
  const bodies = (result: string, time: string) =>
    [messages(result), messages(result, [...next, { role: "tool", tool_call_id: "call_2", content: time }])].map(
      (each) => ({ ...ask("Weather?"), messages: each }),
    );
  await tapes.serve(...answers.map((answer) => streamAnswer(chat, answer)));
  const proxy = await tapes.start("record");
  for (const body of bodies("It rains.", "noon")) await tapes.send(chat, "default", body);
  await proxy.end("default");
  await tapes.disconnect();
  const program = (all: Json[]) => `
    for (const body of ${JSON.stringify(all)})
      await fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body: JSON.stringify(body) });`;
  await writeFile(join(tapes.folder, "ask.mjs"), program(bodies(`Error: ${secret} expired.`, "night")));
  const run = (...flags: string[]) =>
    runCommand(["run", "--mode", "replay", ...flags, "--", "node", "ask.mjs"], { cwd: tapes.folder });
  const { code, stderr } = await run();
  const changed = '/messages/2/content was "It rains." and is now "Error: ***';
  expect([code, stderr]).toEqual([0, expect.stringContaining("2 played, 0 recorded, 0 missed")]);
  expect(stderr).toContain("  played although what tools returned differs: 2. Every difference: ");
  // The next turn repeats it.
  expect(stderr.split("\n").filter((line) => line.includes(changed))).toEqual([
    expect.stringMatching(/^ {4}default, 001\.cassette\.json: /),
  ]);
  const { stdout } = await runCommand(["why"], { cwd: tapes.folder });
  const [, first, second] = stdout.split(
    /^\d+\.cassette\.json of "default" was played although what tools returned differs:\n/m,
  );
  expect(first).toContain(`  ${changed}`);
  // Not again what the turn before it has.
  expect(second).toMatch(/^ {2}\/messages\/4\/content was "noon" and is now "night"\n/);
  expect(stderr + stdout).not.toContain(secret);
  const complete = await run("--complete");
  expect(complete).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("what tools returned differs: 2. Record"),
  });
  expect(await run("--complete", "--match", "request")).toMatchObject({ code: 0 });
  const refused = await run("--match", "results");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("0 played, 0 recorded, 2 missed") });
  expect(refused.stderr).toContain(changed);
});

it("of very many requests whose tool results differ, one is shown and a bounded number is kept", () => {
  const report = { ...emptyReport("t", "tapes/t"), requests: 1 };
  for (let index = 0; index < 1_002; index += 1) {
    const differences = [{ pointer: `/messages/${index}`, before: 1, after: 2 }];
    addAccepted(report, { file: `${index}.cassette.json`, differences, isInResults: true });
  }
  expect(report.accepted.filter(({ differences }) => differences.length > 0)).toHaveLength(1_000);
  const lines = describeReports([report]);
  expect(lines).toContain("    t, 0.cassette.json: /messages/0 was 1 and is now 2");
  expect(lines.join()).toContain("differs: 1002.");
  expect(lines).toContain('    and 999 more, of "t"');
});

/** Adds the turns of a conversation, each with the results of all turns before it, which differ in one word. */
function addTurns(report: SessionReport, run: number, count: number): void {
  const resultOf = (turn: number, word: string) => `${"calm ".repeat(2_000)}${turn} ${word} ${"calm ".repeat(2_000)}`;
  for (let turn = 0; turn < count; turn += 1) {
    const differences = Array.from({ length: turn + 1 }, (_, index) => ({
      pointer: `/messages/${index}/content`,
      before: resultOf(index, "rain"),
      after: resultOf(index, `sun${run}`),
    }));
    addAccepted(report, { file: `${turn}.cassette.json`, differences, isInResults: true });
  }
}

it("of long tool results that later turns repeat, the changed part is kept once", () => {
  const report = { ...emptyReport("t", "tapes/t"), requests: 1 };
  addTurns(report, 1, 20);
  expect(report.accepted.map(({ differences }) => differences.length)).toEqual(Array(20).fill(1));
  expect(JSON.stringify(report).length).toBeLessThan(30_000);
  const again = { ...emptyReport("t", "tapes/t"), requests: 1 };
  addTurns(again, 1, 20);
  const both = addReports(report, again);
  expect(both.accepted.map(({ differences, times }) => [differences.length, times])).toEqual(Array(20).fill([1, 2]));
  expect(describeAll([both])[3]).toMatch(
    /^ {2}\/messages\/1\/content was "…calm .* 1 rain calm .*" and is now "….* 1 sun1 calm /,
  );
  expect(describeReports([both]).join()).toContain("differs: 40.");
});

it.each([true, false])("what is kept of all runs of a test is bounded (by order: %s)", (isByOrder) => {
  let sum = { ...emptyReport("t", "tapes/t"), requests: 1 };
  for (let run = 0; run < 30; run += 1) {
    const report = { ...emptyReport("t", "tapes/t"), requests: 1 };
    for (let index = 0; index < 100; index += 1) {
      const [before, after] = ["a", "b"].map((text) => `${run} ${index} ${text.repeat(5_000)}`);
      const differences = [
        { pointer: "/text", before, after },
        { pointer: "/value", before: [{ before }], after: undefined },
      ];
      addAccepted(report, {
        file: "001.cassette.json",
        differences,
        ...(isByOrder ? { isByOrder } : { isInResults: true }),
      });
    }
    sum = addReports(sum, report);
  }
  expect(sum.accepted.length).toBeLessThan(1_001);
  expect(sum.accepted.reduce((total, { times = 1 }) => total + times, 0)).toBe(3_000);
  expect(describeReports([sum]).join("\n")).toContain("differs: 3000");
  expect(JSON.stringify(sum).length).toBeLessThan(1_000_000);
});

it("of very many fields, the most frequent are listed", () => {
  const accepted = Array.from({ length: 30 }, (_, index) => ({
    file: `${index}.cassette.json`,
    isByOrder: true,
    differences: [{ pointer: `/f${Math.max(5, index)}`, before: 1, after: 2 }],
  }));
  const report = { ...emptyReport("t", "tapes/t"), accepted, requests: 1 };
  const lines = describeReports([report]);
  expect(lines).toContain("    /f5 (6): t, 0.cassette.json: /f5 was 1 and is now 2");
  expect(lines.at(-1)).toMatch(/^ {4}and 5 more fields\. All: .* why$/);
});
