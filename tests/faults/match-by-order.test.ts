import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeReports } from "#lib/replay/recording-proxy/index";
import { emptyReport } from "#lib/replay/recording-proxy/report";
import { protocols } from "#tests/support/conversation-protocols";
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

it("of very many fields, the most frequent are listed", () => {
  const accepted = Array.from({ length: 30 }, (_, index) => ({
    file: `${index}.cassette.json`,
    isByOrder: true,
    differences: [{ pointer: `/f${Math.max(5, index)}`, before: 1, after: 2 }],
  }));
  const report = { ...emptyReport("t", "tapes/t"), accepted, requests: 1 };
  const lines = describeReports([report]);
  expect(lines).toContain("    /f5 (6): t, 0.cassette.json: /f5 was 1 and is now 2");
  expect(lines.at(-1)).toBe("    and 5 more fields");
});
