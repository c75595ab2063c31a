import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/index";
import { type Mode, RecordingProxy, readConfig, Tape, tapeFolder } from "#lib/replay/recording-proxy/index";
import { isExtended, repeatedTimeoutMs } from "#tests/support/extended";
import { startProvider } from "#tests/support/provider-double";
import { startCli } from "#tests/support/run-cli";
import { seededRandom } from "#tests/support/seeded-random";
import { temporaryFolder } from "#tests/support/temporary-folder";

const replayCount = isExtended ? 100 : 1;
const killCount = isExtended ? 50 : 1;

let folder: string;
let origin: string;
let answerCount = 0;

/** Answers each prompt with its own text, in pieces that interleave with those of other answers. */
beforeEach(async () => {
  answerCount = 0;
  folder = temporaryFolder();
  ({ origin } = await startProvider(async (response, { body }) => {
    const prompt: string = JSON.parse(body).messages[0].content;
    answerCount += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const text of [prompt, ` is answer ${answerCount}`]) {
      await wait(1);
      response.write(`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
    }
    response.end('data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  }));
});

async function startProxy(mode: Mode): Promise<RecordingProxy> {
  return RecordingProxy.start({ config: await readConfig(folder), mode, environment: { OPENAI_BASE_URL: origin } });
}

async function ask(baseUrl: string, prompt: string): Promise<string> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: prompt }] }),
  });
  return response.text();
}

it("many tests with 8 requests at once each get their own answers", {
  timeout: repeatedTimeoutMs(1 + replayCount),
}, async () => {
  const tests = Array.from({ length: isExtended ? 50 : 6 }, (_, index) => `test ${index}`);
  // Two requests of each test are equal: they are told apart by their order alone.
  const prompts = (test: string) => Array.from({ length: 8 }, (_, index) => `${test}, question ${Math.min(index, 6)}`);
  const runAll = (proxy: RecordingProxy) =>
    Promise.all(
      tests.map(async (test) => {
        await proxy.begin(test);
        const texts = await Promise.all(prompts(test).map((prompt) => ask(proxy.baseUrl(test, "openai"), prompt)));
        expect(texts.map((text, index) => text.includes(`"${prompts(test)[index]}"`))).not.toContain(false);
        return [...texts.slice(0, 6), ...texts.slice(6).sort()];
      }),
    );
  const recording = await startProxy("auto");
  const recorded = await runAll(recording);
  const reports = await recording.stop();
  expect(reports.reduce((sum, report) => sum + report.recorded, 0)).toBe(8 * tests.length);
  const count = answerCount;
  const replaying = await startProxy("replay");
  for (let run = 0; run < replayCount; run += 1) expect(await runAll(replaying)).toEqual(recorded);
  expect((await replaying.stop()).flatMap(({ misses, unused }) => [...misses, ...unused])).toEqual([]);
  expect(answerCount).toBe(count);
});

it("a proxy that is killed while it records leaves a tape that can be read, with whole files", {
  timeout: repeatedTimeoutMs(killCount),
}, async () => {
  const random = seededRandom("kills of a recording proxy");
  const path = join(folder, "tapes", ...tapeFolder("default"));
  let stored = 0;
  for (let kill = 0; kill < killCount; kill += 1) {
    const proxy = startCli(["proxy"], { cwd: folder, environment: { CI: undefined, OPENAI_BASE_URL: origin } });
    await expect.poll(proxy.stdout).toMatch(/OPENAI_BASE_URL=(\S+)/);
    const [, baseUrl = ""] = /OPENAI_BASE_URL=(\S+)/.exec(proxy.stdout()) ?? [];
    let finished = 0;
    const asking = Array.from({ length: 4 }, async (_, client) => {
      for (let index = 0; index < 100; index += 1) {
        const text = await ask(baseUrl, `kill ${kill}, client ${client}, ${index}`);
        if (text.includes("[DONE]")) finished += 1;
      }
    });
    const all = Promise.allSettled(asking);
    await expect.poll(() => finished, { interval: 5 }).toBeGreaterThan(0);
    await wait(random() * 120);
    proxy.process.kill("SIGKILL");
    await Promise.all([proxy.ended, all]);
    const tape = await Tape.open({ root: path, folder: path }, "default");
    for (const { file } of tape.exchanges) {
      const { cassette } = parseCassette(await readFile(join(path, file)));
      expect(cassette.end).toBe("complete");
    }
    // Whatever a client has all of is on the tape.
    expect(tape.exchanges.length - stored).toBeGreaterThanOrEqual(finished);
    stored = tape.exchanges.length;
  }
  expect((await readdir(path)).filter((name) => name.endsWith(".tmp")).length).toBeLessThanOrEqual(8);
});

it("the list of a long tape is not written for each call, and a kill in between loses nothing", async () => {
  const proxy = await startProxy("auto");
  const url = proxy.baseUrl("long", "openai");
  const prompts = Array.from({ length: 60 }, (_, index) => `question ${index}`);
  for (const prompt of prompts) await ask(url, prompt);
  const place = { root: join(folder, "tapes"), folder: join(folder, "tapes", ...tapeFolder("long")) };
  const countListed = async () =>
    JSON.parse(await readFile(join(place.folder, "tape.json"), "utf8")).exchanges.length as number;
  expect(await countListed()).toBeLessThan(60);
  const promptsOf = (tape: Tape) =>
    tape.exchanges.map(({ request }) => /question \d+/.exec(JSON.stringify(request))?.[0]);
  expect(promptsOf(await Tape.open(place, "long"))).toEqual(prompts);
  await proxy.stop();
  expect(await countListed()).toBe(60);
});

it("any number of requests at once prints no warning", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  try {
    const proxy = await startProxy("auto");
    const url = proxy.baseUrl("many", "openai");
    await Promise.all(Array.from({ length: 30 }, (_, index) => ask(url, `question ${index}`)));
    await proxy.stop();
  } finally {
    process.off("warning", listen);
  }
  expect(warnings).toEqual([]);
});
