import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeDifference, findDifferences } from "#lib/platform/json-difference";
import { isWithin, withoutPointers } from "#lib/platform/json-pointer";
import { hashJson } from "#lib/replay/cassettes/index";
import {
  maxSeed,
  type ProxyOptions,
  RecordingProxy,
  readConfig,
  seededDelays,
  tapeFolder,
} from "#lib/replay/recording-proxy/index";
import { type Json, type Protocol, protocols, question } from "#tests/support/conversation-protocols";
import { type Answer, type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { type PythonReplay, prepareWheel, runScript, startPythonReplay, titled } from "#tests/support/python-package";
import {
  ask,
  control,
  type Received,
  sendTo,
  streamAnswer,
  testUrl,
  turnAnswers,
  turnRequests,
  upstreamNames,
} from "#tests/support/tape-conversations";

const names = JSON.parse(readFileSync(resolve(import.meta.dirname, "../support/tape-names.json"), "utf8")) as {
  test: string;
  folder: string[];
}[];
const setup = prepareWheel();
const { problem } = setup;
afterAll(setup.remove);

let folder: string;
let server: ProviderDouble | undefined;
let proxy: RecordingProxy | undefined;
let python: PythonReplay | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-tapes-"));
});
afterEach(async () => {
  await stopProxy();
  await server?.close();
  server = undefined;
  await python?.stop();
  python = undefined;
  await rm(folder, { recursive: true });
});

async function stopProxy(): Promise<void> {
  await proxy?.stop();
  proxy = undefined;
}

async function startProxy(mode: ProxyOptions["mode"], variable = ""): Promise<string> {
  await stopProxy();
  const environment = { [variable]: server?.origin ?? "http://127.0.0.1:9" };
  proxy = await RecordingProxy.start({ config: await readConfig(folder), mode, environment });
  return proxy.origin;
}

async function startPython(): Promise<string> {
  await python?.stop();
  python = await startPythonReplay(folder, setup);
  return python.origin;
}

/** Records what a function sends to an upstream with these answers, which then is gone. */
async function record(provider: Protocol["provider"], answers: Answer[], send: (origin: string) => Promise<unknown>) {
  server = await startProvider(...answers);
  await send(await startProxy("auto", upstreamNames[provider.name]?.[1]));
  await stopProxy();
  await server.close();
  server = undefined;
}

/** Does the same at the replay in TypeScript and in Python. */
async function atBoth<T>(act: (origin: string) => Promise<T>): Promise<{ original: T; ported: T }> {
  const original = await act(await startProxy("replay"));
  await stopProxy();
  return { original, ported: await act(await startPython()) };
}

const test = "tests/test_trip.py > TestTrip > test_packs[Lisbon]";

describe.each(Object.entries(protocols))(titled("a conversation of %s", problem), (_name, protocol) => {
  const otherResult = () => "It rains.";

  /** Everything that a client can see of a replay, in several runs. */
  async function observe(origin: string) {
    const url = testUrl(origin, test);
    const runs: { options: Json; requests: Json[] }[] = [
      { options: {}, requests: [...turnRequests(protocol), ...turnRequests(protocol).slice(0, 1)] },
      { options: {}, requests: turnRequests(protocol, question.replace("Lisbon", "Porto ☔")).slice(0, 1) },
      { options: {}, requests: turnRequests(protocol, question, otherResult) },
      { options: { exact: true }, requests: turnRequests(protocol, question, otherResult).slice(0, 2) },
    ];
    const seen: { received: Received[]; report: Json; requests: Json }[] = [];
    for (const { options, requests } of runs) {
      await control(url, "begin", options);
      const received: Received[] = [];
      for (const request of requests) {
        received.push(await ask(protocol, url, request, { authorization: "Bearer another-key-12345" }));
      }
      seen.push({ received, report: await control(url, "report"), requests: await control(url, "requests") });
    }
    return seen;
  }

  it.runIf(!problem)("is replayed as the proxy does: each byte, each header, each miss", async () => {
    const answers = turnAnswers(protocol);
    await record(
      protocol.provider,
      answers.map((body) => streamAnswer(protocol, body)),
      async (origin) => {
        for (const body of turnRequests(protocol)) await ask(protocol, testUrl(origin, test), body);
      },
    );
    const { original, ported } = await atBoth(observe);
    const statuses = ported.map(({ received }) => received.map(({ status }) => status));
    expect(statuses).toEqual([[200, 200, 200, 424], [424], [200, 200, 200], [200, 424]]);
    expect(ported[0]?.received.slice(0, 3).map((each) => each.text)).toEqual(
      answers.map((body) => protocol.provider.unfold(body).events.join("")),
    );
    expect(ported[0]?.received[3]?.headers["x-should-retry"]).toBe("false");
    expect(ported[1]?.received[0]?.text).toContain("The nearest recording is 001.cassette.json");
    expect(ported).toEqual(original);
  });
});

const chat = protocols.chat;
const place = (origin: string, path: string) => `${testUrl(origin, test)}${path}`;
const streams = (count: number): Answer[] =>
  Array.from({ length: count }, (_, index) =>
    streamAnswer(chat, chat.answerOf({ text: `Answer ${index} ☔`, calls: [] }, `r${index}`)),
  );

describe(titled("the replay in Python", problem), () => {
  it.runIf(!problem)("plays equal requests in their order, with errors that need no waiting", async () => {
    const limit: Answer = (response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "20" });
      response.end(JSON.stringify(chat.provider.errorBody({ status: 429, message: "Slow down.", requestId: "" })));
    };
    const roll = async (origin: string) => {
      const received: Received[] = [];
      for (let index = 0; index < 4; index += 1) {
        received.push(await ask(chat, testUrl(origin, test), chat.requestOf("Roll a die.")));
      }
      return received;
    };
    await record(chat.provider, [...streams(1), limit, ...streams(2)], async (origin) => {
      await proxy?.begin(test, { mode: "record" });
      await roll(origin);
      await proxy?.end(test);
    });
    const { original, ported } = await atBoth(roll);
    expect(ported.map(({ status }) => status)).toEqual([200, 429, 200, 200]);
    expect(ported[1]?.headers).toMatchObject({ "retry-after": "20", "retry-after-ms": "1" });
    expect(ported).toEqual(original);
  });

  it.runIf(!problem)("gives each of 40 parallel requests a recording of its own", async () => {
    const request = (origin: string) => ask(chat, testUrl(origin, test), chat.requestOf("Roll a die."));
    await record(chat.provider, streams(40), async (origin) => {
      await proxy?.begin(test, { mode: "record" });
      for (let index = 0; index < 40; index += 1) await request(origin);
      await proxy?.end(test);
    });
    const origin = await startPython();
    const received = await Promise.all(Array.from({ length: 40 }, () => request(origin)));
    expect(new Set(received.map(({ text }) => text)).size).toBe(40);
  });

  it.runIf(!problem)("ignores credentials and declared fields, and nothing else", async () => {
    await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ volatile: ["/messages/*/name", "/seed"] }));
    const send = (origin: string, number: number, change: Json = {}) => {
      const messages = [{ role: "user", content: question, name: `user-${number}` }];
      const body = JSON.stringify({
        ...chat.requestOf(question),
        messages,
        seed: number,
        n: 1,
        user: `u${number}`,
        ...change,
      });
      const path = `/openai/v1/chat/completions?key=secret-${number}&a=%20b~*&c`;
      return sendTo(place(origin, path), { body });
    };
    await record(chat.provider, streams(1), (origin) => send(origin, 1));
    const { original, ported } = await atBoth(async (origin) => [
      await send(origin, 2, { temperature: 1.5e-9, extra: { big: 12345678901234567890n.toString() } }),
      await send(origin, 3, { n: true }),
      await sendTo(place(origin, "/openai/v1/chat/completions?a=other"), { body: "not JSON" }),
      await send(origin, 4),
    ]);
    expect(ported.map(({ status }) => status)).toEqual([424, 424, 424, 200]);
    expect(ported[0]?.text).toContain("/temperature is new: 1.5e-9");
    expect(ported).toEqual(original);
  });

  it.runIf(!problem)("chooses none of two recordings that differ only in what tools returned", async () => {
    const requestOf = (output: string) => turnRequests(chat, question, () => output)[1] ?? {};
    await record(chat.provider, streams(2), async (origin) => {
      for (const output of ["It rains.", "It snows."]) {
        await proxy?.begin(test, { exact: true });
        await ask(chat, testUrl(origin, test), requestOf(output));
      }
    });
    const { original, ported } = await atBoth(async (origin) => [
      await ask(chat, testUrl(origin, test), requestOf("The sun shines.")),
      await ask(chat, testUrl(origin, test), requestOf("It rains.")),
      await ask(chat, testUrl(origin, test), requestOf("The sun shines.")),
    ]);
    expect(ported.map(({ status }) => status)).toEqual([424, 200, 200]);
    expect(ported[0]?.text).toContain("2 recordings differ only in what tools returned, so none is chosen");
    expect(ported).toEqual(original);
  });

  it.runIf(!problem)("matches a secret that the tape masks by its length, and what is around it exactly", async () => {
    const secret = (letter: string, length = 40) => `sk-proj-${letter.repeat(length)}7`;
    const send = (origin: string, key: string, around = "**My** key") =>
      ask(chat, testUrl(origin, test), chat.requestOf(`${around} is ${key}. ${question}`));
    await record(chat.provider, streams(1), (origin) => send(origin, secret("A")));
    const stored = await readFile(join(folder, "tapes", ...tapeFolder(test), "001.cassette.json"), "utf8");
    expect(stored).not.toContain("AAAA");
    const origin = await startPython();
    const received = [
      await send(origin, secret("B", 41)),
      await send(origin, secret("B"), "**Ny** key"),
      await send(origin, secret("B"), "xxMy** key"),
      await send(origin, secret("B")),
    ];
    expect(received.map(({ status }) => status)).toEqual([424, 424, 424, 200]);
    expect(received.map(({ text }) => text).join()).not.toContain("BBBB");
  });

  it.runIf(!problem)("has the faults that a test asks for", async () => {
    await record(chat.provider, streams(1), (origin) => ask(chat, testUrl(origin, test), chat.requestOf(question)));
    const faults = [
      { call: 1, status: 529, retryAfterS: 1.5 },
      { call: 1, afterEvent: 2, do: "cut" },
      { call: 1, afterEvent: 0 },
      { call: 1, afterEvent: 1, do: "error" },
      { call: 1, afterEvent: 99 },
      { call: 1, rechunk: 1, stallMs: 5, firstByteMs: 5 },
      { call: 1, jitterMs: 9, seed: 7 },
      { call: 1, jitterMs: 9, seed: 2 ** 32 - 1, afterEvent: 1, do: "error", rechunk: 3, stallMs: 5 },
      { call: 2, status: 500 },
      { call: 9, afterEvent: 1 },
    ];
    const { original, ported } = await atBoth(async (origin) => {
      const url = testUrl(origin, test);
      const received: (Received & { report: Json })[] = [];
      for (const fault of faults) {
        await control(url, "begin", { faults: [fault] });
        const answered = await ask(chat, url, chat.requestOf(question));
        received.push({ ...answered, report: await control(url, "end", { passed: true }) });
      }
      return received;
    });
    expect(ported.map(({ status }) => status)).toEqual([529, ...Array(9).fill(200)]);
    expect(ported.flatMap(({ report }) => report.notes as string[])).toEqual([
      expect.stringMatching(/^Fault 1 was not used; the answer to call 1 has \d events\.$/),
      "Fault 1 was not used; number of calls: 1.",
      "Fault 1 was not used; number of calls: 1.",
    ]);
    const cutCalls = ported.flatMap(({ text }, index) => (text.endsWith("(cut)") ? [index] : []));
    expect(cutCalls).toEqual([1, 2]);
    expect(ported[7]?.headers["x-tapedeck-seed"]).toBe("4294967295");
    expect(ported).toEqual(original);
  });

  it.runIf(!problem)("masks a short text of the configuration where it is a word of its own", async () => {
    await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ redact: ["Jan"] }));
    const prompt = (name: string) => chat.requestOf(`January: what does ${name} pack?`);
    await record(chat.provider, streams(1), (origin) => ask(chat, testUrl(origin, test), prompt("Jan")));
    const stored = await readFile(join(folder, "tapes", ...tapeFolder(test), "001.cassette.json"), "utf8");
    expect(stored).toContain("January: what does *** pack?");
    const { original, ported } = await atBoth(async (origin) => [
      await ask(chat, testUrl(origin, test), prompt("Jane")),
      await ask(chat, testUrl(origin, test), prompt("Jan")),
    ]);
    for (const received of [original, ported]) expect(received.map(({ status }) => status)).toEqual([424, 200]);
    await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ redact: ["Jo"] }));
    const message = /tapedeck\.config\.json: redact\.0: must have at least 3 characters/;
    await expect(readConfig(folder)).rejects.toThrow(message);
  });

  it.runIf(!problem)("refuses web pages and unknown upstreams", async () => {
    const { original, ported } = await atBoth(async (origin) => [
      await sendTo(`${origin}/openai/v1/models`, { method: "GET", headers: { origin: "https://example.com" } }),
      await sendTo(`${origin}/other/v1/models`),
      await sendTo(`${origin}/anthropic/v1/models`, { method: "GET" }),
    ]);
    expect(ported.map(({ status }) => status)).toEqual([403, 404, 424]);
    expect(ported).toEqual(original);
  });

  it.runIf(!problem)("refuses a tape that was altered, and names the place", async () => {
    await record(chat.provider, streams(1), (origin) => ask(chat, testUrl(origin, test), chat.requestOf(question)));
    const file = join(folder, "tapes", ...tapeFolder(test), "001.cassette.json");
    const whole = await readFile(file, "utf8");
    const url = testUrl(await startPython(), test);
    const received: string[] = [];
    for (const [from, to] of [
      ["data: ", "dada: "],
      ['"model": "gpt-test-1"', '"user": "u", "model": "gpt-test-1"'],
      ['"title":', '"title" oops:'],
    ] as const) {
      await writeFile(file, whole.replace(from, to));
      await sendTo(`${url}/__tapedeck/begin`);
      const { status, text } = await ask(chat, url, chat.requestOf(question));
      received.push(`${status} ${text}`);
      await writeFile(file, whole);
      await sendTo(`${url}/__tapedeck/begin`);
    }
    expect(received).toEqual([
      expect.stringMatching(/^500 .*001\.cassette\.json integrity\.body_sha256 does not match/),
      expect.stringMatching(
        /^500 .*request\.sha256 does not match.* Recordings cannot be edited by hand: restore the file/,
      ),
      expect.stringMatching(/^200 /),
    ]);
    await writeFile(file, whole.replace('"title":', '"title" oops:'));
    const other = await ask(chat, testUrl(await startPython(), test), chat.requestOf(question));
    expect([other.status, other.text]).toEqual([
      500,
      expect.stringMatching(/001\.cassette\.json:4 is not valid JSON.*record it again: tapedeck run --mode record/),
    ]);
  });
});

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

describe(titled("a request to control the replay", problem), () => {
  it.runIf(!problem).each([
    ["begin", "{", /^The body is not valid JSON: /],
    ["end", "{", /^The body is not valid JSON: /],
    ["end", '{"passed":"yes"}', /^passed: must be a boolean$/],
    ["end", "[]", /^the options: must be an object$/],
  ])("%s with the body %s is refused with the reason by both", async (action, body, error) => {
    const { original, ported } = await atBoth(async (origin) => {
      const response = await fetch(`${testUrl(origin, test)}/__tapedeck/${action}`, { method: "POST", body });
      return [response.status, await response.json()];
    });
    for (const answer of [original, ported]) expect(answer).toEqual([400, { error: expect.stringMatching(error) }]);
  });
});

describe(titled("the rules of matching", problem), () => {
  const key = fc.constantFrom("a", "b", "10", "9", "~", "/", "ﬁ", "👩", "content");
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(true, false, null, 0, 1, 1e21, 1.5e-7, 1e-6, 123456789012345680000, 2 ** 53, -1.25e300),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "grapheme", maxLength: 120 }),
      fc.string({
        unit: fc.constantFrom("a", "☔", "👩", "\u007f", "\n", '"', "\u2028"),
        minLength: 20,
        maxLength: 120,
      }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const pointer = fc.array(fc.oneof(key, fc.constant("*"), fc.constant("0")), { minLength: 1, maxLength: 3 });
  const cases = fc.record({
    before: fc.dictionary(key, value, { noNullPrototype: true }),
    after: fc.dictionary(key, value, { noNullPrototype: true }),
    pointers: fc.array(
      pointer.map((path) => path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")),
      { maxLength: 2 },
    ),
    seed: fc.nat({ max: maxSeed }),
    jitter: fc.nat({ max: 60_000 }),
    name: fc.string({ unit: fc.constantFrom(..."aB1_-. /\\>:[]é旅ﬁ", " > ", "::"), maxLength: 100 }),
  });

  it.runIf(!problem)("are those of the proxy, for random requests", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cases, { minLength: 500, maxLength: 500, size: "max" }), async (sample) => {
        const results = JSON.parse(await runScript("compare_values.py", JSON.stringify(sample), setup)) as Json[];
        for (const [index, { before, after, pointers, name, seed, jitter }] of sample.entries()) {
          const { canonical, ...result } = results[index] ?? {};
          const [one, other] = [before, after].map((each) => sortMembers(withoutPointers(each, pointers)));
          const differences = findDifferences(one, other, Number.POSITIVE_INFINITY);
          expect(result).toEqual({
            without: JSON.parse(JSON.stringify(one)),
            lines: differences.map(describeDifference),
            within: differences.map((each) => pointers.map((pattern) => isWithin(each.pointer, pattern))),
            folder: tapeFolder(name),
            delays: Array.from({ length: 5 }, seededDelays(seed, jitter)),
          });
          expect(createHash("sha256").update(String(canonical)).digest("hex")).toBe(hashJson(before));
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  it.runIf(!problem)("give a test the same folder", async () => {
    expect(names.map((each) => tapeFolder(each.test))).toEqual(names.map((each) => each.folder));
    const sample = names.map((each) => ({ before: {}, after: {}, pointers: [], name: each.test }));
    const results = JSON.parse(await runScript("compare_values.py", JSON.stringify(sample), setup)) as Json[];
    expect(results.map((each) => each.folder)).toEqual(names.map((each) => each.folder));
  });
});
