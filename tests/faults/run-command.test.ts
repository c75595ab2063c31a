import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { protocols, question } from "#tests/support/conversation-protocols";
import { type ProviderDouble, startProvider, streamOf } from "#tests/support/provider-double";
import { runCli, runCommand } from "#tests/support/run-cli";

const protocol = protocols.chat;
/** Sends a prompt with the SDK of OpenAI, which gets all its settings from the environment. */
const sdkProgram = `
import OpenAI from ${JSON.stringify(import.meta.resolve("openai"))};
const stream = await new OpenAI().chat.completions.create({
  model: "gpt-test-1", stream: true, seed: 0, messages: [{ role: "user", content: process.argv[2] }],
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? "");
`;
/** Does the same without the SDK, which takes long to load, and ends with the given code. */
const program = `
const [prompt, code] = process.argv.slice(2);
const { OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl, PROGRAM_SEED: seed = 0 } = process.env;
if (!key) throw new Error("There is no key.");
const response = await fetch(baseUrl + "/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer " + key, "content-type": "application/json" },
  body: JSON.stringify({
    model: "gpt-test-1", stream: true, seed: Number(seed), messages: [{ role: "user", content: prompt }],
  }),
});
const text = await response.text();
if (!response.ok) throw new Error(text);
for (const [, content] of text.matchAll(/"content":"([^"]+)"/g)) process.stdout.write(content);
process.exitCode = Number(code ?? 0);
`;

let folder: string;
let server: ProviderDouble | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-run-"));
  await writeFile(join(folder, "ask.mjs"), program);
  await writeFile(join(folder, "ask-sdk.mjs"), sdkProgram);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true });
});

const unset = { CI: undefined, OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined };

function tapedeck(args: readonly string[], environment: Record<string, string | undefined> = {}) {
  return runCli(args, { cwd: folder, environment: { ...unset, ...environment } });
}

/** Runs a command that starts no program in this process. */
function tapedeckHere(args: readonly string[], environment: Record<string, string | undefined> = {}) {
  return runCommand(args, { cwd: folder, environment: { ...unset, ...environment } });
}

async function record(prompt: string, file = "ask.mjs"): Promise<Awaited<ReturnType<typeof tapedeck>>> {
  const { events, contentType } = protocol.provider.unfold(protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
  server = await startProvider(streamOf(Buffer.from(events.join("")), { headers: { "content-type": contentType } }));
  const environment = {
    OPENAI_BASE_URL: `${server.origin}/v1`,
    OPENAI_API_KEY: "sk-proj-Key0000Key1111Key2222Key3333Key4444",
  };
  return tapedeck(["run", "--", "node", file, prompt], environment);
}

it("records with a key, and replays without a key and without a connection", async () => {
  const recorded = await record(question, "ask-sdk.mjs");
  expect(recorded).toEqual({
    code: 0,
    stdout: "Sunscreen.",
    stderr: "tapedeck: 0 played, 1 recorded, 0 missed, 0 unused\n",
  });
  expect(server?.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer sk-proj-Key0000Key1111Key2222Key3333Key4444",
  ]);
  await server?.close();
  server = undefined;
  const replayed = await tapedeck(["run", "--complete", "--", "node", "ask-sdk.mjs", question], { CI: "true" });
  expect(replayed).toEqual({
    code: 0,
    stdout: "Sunscreen.",
    stderr: "tapedeck: 1 played, 0 recorded, 0 missed, 0 unused\n",
  });
});

it("passes the exit code on, explains a miss, and removes what is not used", async () => {
  await record(question);
  const failed = await tapedeck(["run", "--mode", "replay", "--", "node", "ask.mjs", question, "7"]);
  expect(failed.code).toBe(7);
  const missed = await tapedeck(["run", "--mode", "replay", "--", "node", "ask.mjs", "Something else?"]);
  expect(missed.code).toBe(1);
  expect(missed.stderr).toMatch(/0 played, 0 recorded, 1 missed, 1 unused/);
  expect(await tapedeckHere(["prune"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The last run failed"),
  });
  const why = await tapedeckHere(["why"]);
  expect(why.stdout).toContain("The nearest recording is 001.cassette.json:\n  /messages/0/content was ");
  await server?.close();
  await record("Something else?");
  const complete = await tapedeck([
    "run",
    "--complete",
    "--mode",
    "replay",
    "--",
    "node",
    "ask.mjs",
    "Something else?",
  ]);
  expect(complete.code).toBe(1);
  expect(complete.stderr).toMatch(/1 played, 0 recorded, 0 missed, 1 unused[\s\S]*Recordings that were not used: 1/);
  expect((await tapedeckHere(["prune"])).stdout).toBe("removed  default: 001.cassette.json\n");
  expect(await readdir(join(folder, "tapes/default"))).toEqual(["002.cassette.json", "tape.json"]);
});

it.each([
  [{}, ["replayed-by-tapedeck", "replayed-by-tapedeck"]],
  // Google's SDK prefers the other variable where both are set.
  [{ GEMINI_API_KEY: "own" }, ["own", ""]],
  [{ GOOGLE_API_KEY: "own" }, ["", "own"]],
])("with the keys %j, only providers without a key get a placeholder", async (environment, expected) => {
  const unset = { GEMINI_API_KEY: undefined, GOOGLE_API_KEY: undefined };
  const script = 'console.log(JSON.stringify([process.env.GEMINI_API_KEY ?? "", process.env.GOOGLE_API_KEY ?? ""]))';
  const { stdout } = await tapedeck(["run", "--", "node", "-e", script], { ...unset, ...environment });
  expect(JSON.parse(stdout)).toEqual(expected);
});

it("doctor proposes the fields that differ", async () => {
  await record(question);
  const { code, stdout } = await tapedeck(["doctor", "--", "node", "ask.mjs", "Something else?"]);
  expect(code).toBe(1);
  // Not ready to paste: with this pointer, any prompt would match.
  expect(stdout).toMatch(/part of a prompt\. Make it constant in tests[\s\S]*\n {2}\/messages\/0\/content\n$/);
  expect(stdout).not.toContain("{");
  const other = { PROGRAM_SEED: "7" };
  const seeded = await tapedeck(["doctor", "--", "node", "ask.mjs", question], other);
  expect([seeded.code, JSON.parse(seeded.stdout.slice(seeded.stdout.indexOf("{")))]).toEqual([
    1,
    { volatile: ["/seed"] },
  ]);
  const idle = await tapedeck(["doctor", "--", "node", "-e", "process.exit(3)"]);
  expect(idle).toMatchObject({ code: 3, stdout: "" });
});

/** Catches what the SDK throws, as an app with a fallback does. */
const lenient = (prompt: string) => [
  ...["node", "--input-type=module", "-e"],
  `process.argv[2] = ${JSON.stringify(prompt)}; await import("./ask.mjs").catch(() => undefined);`,
];

it("a miss fails a replay although the command passes, and keeps prune from its recordings", async () => {
  await record(question);
  const args = ["--", ...lenient("Something else?")];
  for (const [flags, environment] of [
    [["--mode", "replay"], {}],
    [[], { CI: "true" }],
    [["--complete"], {}],
  ] as const) {
    const missed = await tapedeck(["run", ...flags, ...args], {
      OPENAI_BASE_URL: "http://127.0.0.1:9",
      ...environment,
    });
    expect(missed.code).toBe(1);
    expect(missed.stderr).toMatch(
      /1 missed, 1 unused[\s\S]*The command passed, but the run failed\. .*answered: 1\.\n$/,
    );
    expect(await tapedeckHere(["prune"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("missed a recording"),
    });
  }
  const auto = await tapedeck(["run", ...args], { OPENAI_BASE_URL: "http://127.0.0.1:9" });
  expect(auto).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/1 missed[\s\S]*It could not be recorded: .*ECONNREFUSED/),
  });
});

it("a recording that was edited, or that is broken, fails a replay too; mode record repairs it", async () => {
  await record(question);
  const path = join(folder, "tapes/default/001.cassette.json");
  const whole = await readFile(path, "utf8");
  const args = ["run", "--mode", "replay", "--", ...lenient(question)];
  await writeFile(path, whole.replace("Sunscreen", "Moonlight"));
  const edited = await tapedeck(args);
  expect(edited).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/1 unreadable[\s\S]*cannot be edited by hand/),
  });
  await writeFile(path, whole.slice(0, 200));
  const broken = await tapedeck(args);
  expect(broken).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/1 unreadable[\s\S]*not valid JSON.*--mode record/),
  });
  const environment = { OPENAI_BASE_URL: `${server?.origin}/v1`, OPENAI_API_KEY: "any" };
  const failed = await tapedeck(["run", "--mode", "record", "--", "node", "ask.mjs", question, "4"], environment);
  expect(failed).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/0 recorded[\s\S]*default: The command failed, so its old tape stays/),
  });
  expect(await readFile(path, "utf8")).toBe(whole.slice(0, 200));
  expect((await tapedeck(["run", "--mode", "record", "--", "node", "ask.mjs", question], environment)).code).toBe(0);
  expect((await tapedeck(args)).code).toBe(0);
});

it("a run without requests removes nothing, and says that none came", async () => {
  await record(question);
  const idle = await tapedeck(["run", "--complete", "--", "node", "-e", "1"]);
  expect(idle).toMatchObject({ code: 1, stderr: expect.stringContaining("No request came to the proxy.") });
  expect((await tapedeckHere(["prune"])).code).toBe(1);
  // What the run did not open stays even then.
  expect((await tapedeckHere(["prune", "--force"])).stdout).toBe("The last run used every recording of its tests.\n");
  expect(await readdir(join(folder, "tapes/default"))).toContain("001.cassette.json");
});

it("mode record says that the tape of all tests was replaced", async () => {
  await record(question);
  const environment = { OPENAI_BASE_URL: `${server?.origin}/v1`, OPENAI_API_KEY: "any" };
  const { stderr } = await tapedeck(["run", "--mode", "record", "--", "node", "ask.mjs", "Other?"], environment);
  expect(stderr).toContain('The whole tape "default" was replaced. Recordings before: 1, now: 1.');
});

it("mode live counts what it passes through, and sends no placeholder", async () => {
  await record(question);
  const environment = { OPENAI_BASE_URL: `${server?.origin}/v1` };
  const without = await tapedeck(["run", "--mode", "live", "--", "node", "ask.mjs", question], environment);
  expect(without.code).toBe(1);
  const headers = "{ authorization: 'Bearer replayed-by-tapedeck' }";
  const send = `await fetch(process.env.OPENAI_BASE_URL + "/models", { headers: ${headers} })`;
  const program = ["node", "--input-type=module", "-e", send];
  const passed = await tapedeck(["run", "--mode", "live", "--", ...program], environment);
  expect(passed).toMatchObject({ code: 0, stderr: expect.stringContaining("0 unused, 1 passed through\n") });
  expect(server?.requests.slice(1).map((each) => each.headers.authorization)).toEqual([undefined]);
});

it("a refused placeholder names the variable that is not set", async () => {
  server = await startProvider((response) => void response.writeHead(401).end("{}"));
  const { stderr } = await tapedeck(["run", "--", "node", "ask.mjs", question], { OPENAI_BASE_URL: server.origin });
  expect(stderr).toContain("1 missed");
  expect(stderr).toContain("It could not be recorded: the provider refused it with 401: OPENAI_API_KEY is not set.");
});

it("recordings that may be wrong are named: with an error that is not retried, or of a command that failed", async () => {
  server = await startProvider((response) => void response.writeHead(404).end("{}"));
  const environment = { OPENAI_BASE_URL: server.origin, OPENAI_API_KEY: "any" };
  const path = join(folder, "tapes/default");
  const wrong = await tapedeck(["run", "--", ...lenient(question)], environment);
  const place = `POST /v1/chat/completions. To record it again, delete ${path}.`;
  expect(wrong.stderr).toContain(`default: 001.cassette.json was recorded with status 404: ${place}\n`);
  await rm(path, { recursive: true });
  await server.close();
  const { events, contentType } = protocol.provider.unfold(protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
  server = await startProvider(streamOf(Buffer.from(events.join("")), { headers: { "content-type": contentType } }));
  const again = { ...environment, OPENAI_BASE_URL: server.origin };
  const failed = await tapedeck(["run", "--", "node", "ask.mjs", question, "1"], again);
  expect(failed.stderr).toContain(`001.cassette.json was recorded before the command failed: ${place}\n`);
});

it.each([
  [["run"], 2, /missing required argument 'command'/],
  [["run", "--mode", "always", "--", "true"], 2, /Allowed choices are auto, replay, record, live/],
  [["run", "--", "no-such-program"], 127, /no-such-program cannot be run: not found/],
  [["why"], 2, /There was no run in this folder/],
  [["run", "--complete", "--mode", "live", "--", "true"], 2, /--complete needs the mode auto or replay/],
])("wrong usage: %j", async (args, code, message) => {
  const result = await tapedeckHere(args);
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code, stderr: expect.stringMatching(message) });
});

it("a configuration that is not valid is named with its place", async () => {
  await writeFile(join(folder, "tapedeck.config.json"), '{\n  "volatile": ["seed"]\n}\n');
  const { code, stderr } = await tapedeckHere(["run", "--", "true"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/tapedeck\.config\.json: volatile\.0: must be a JSON pointer such as \/metadata\/run_id/);
  for (const [text, message] of [
    ['{ "redact": ["Jo"] }', "redact.0: must have at least 3 characters"],
    ['{ "max_age": 0 }', "max_age: must be more than 0"],
    ['{ "tape": "x" }', "the file: unknown: tape"],
  ] as const) {
    await writeFile(join(folder, "tapedeck.config.json"), text);
    expect((await tapedeckHere(["run", "--", "true"])).stderr).toContain(`tapedeck.config.json: ${message}.`);
  }
  await rm(join(folder, "tapedeck.config.json"));
  const url = await tapedeckHere(["run", "--", "true"], { OPENAI_BASE_URL: "nonsense" });
  expect(url).toMatchObject({ code: 2, stderr: 'OPENAI_BASE_URL is "nonsense", which is not an http(s) URL.\n' });
});
