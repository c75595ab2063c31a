import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { protocols, question } from "#tests/support/conversation-protocols";
import { type ProviderDouble, startProvider, streamOf } from "#tests/support/provider-double";
import { runCli } from "#tests/support/run-cli";

const protocol = protocols.chat;
/** Sends a prompt with the SDK of OpenAI, which gets all its settings from the environment. */
const program = `
import OpenAI from ${JSON.stringify(import.meta.resolve("openai"))};
const [prompt, code] = process.argv.slice(2);
const stream = await new OpenAI().chat.completions.create({
  model: "gpt-test-1", stream: true, messages: [{ role: "user", content: prompt }],
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? "");
process.exitCode = Number(code ?? 0);
`;

let folder: string;
let server: ProviderDouble | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-run-"));
  await writeFile(join(folder, "ask.mjs"), program);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true });
});

function tapedeck(args: readonly string[], environment: Record<string, string | undefined> = {}) {
  const unset = { CI: undefined, OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined };
  return runCli(args, { cwd: folder, environment: { ...unset, ...environment } });
}

async function record(prompt: string): Promise<Awaited<ReturnType<typeof tapedeck>>> {
  const { events, contentType } = protocol.provider.unfold(protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
  server = await startProvider(streamOf(Buffer.from(events.join("")), { headers: { "content-type": contentType } }));
  const environment = {
    OPENAI_BASE_URL: `${server.origin}/v1`,
    OPENAI_API_KEY: "sk-proj-Key0000Key1111Key2222Key3333Key4444",
  };
  return tapedeck(["run", "--", "node", "ask.mjs", prompt], environment);
}

it("records with a key, and replays without a key and without a connection", async () => {
  const recorded = await record(question);
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
  const replayed = await tapedeck(["run", "--complete", "--", "node", "ask.mjs", question], { CI: "true" });
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
  expect(await tapedeck(["prune"])).toMatchObject({ code: 1, stderr: expect.stringContaining("The last run failed") });
  const why = await tapedeck(["why"]);
  expect(why.stdout).toContain("The nearest recording is 001.cassette.json:\n  /messages/0/content was ");
  const unfinished = await tapedeck(["run", "--complete", "--mode", "replay", "--", "node", "-e", "1"]);
  expect(unfinished.code).toBe(1);
  expect(unfinished.stderr).toMatch(/0 missed, 1 unused[\s\S]*Recordings that were not used: 1/);
  expect((await tapedeck(["prune"])).stdout).toBe("removed  default: 001.cassette.json\n");
  await expect(readFile(join(folder, "tapes/default/tape.json"))).rejects.toThrow(/ENOENT/);
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
  expect(JSON.parse(stdout.slice(stdout.indexOf("{")))).toEqual({ volatile: ["/messages/0/content"] });
});

it.each([
  [["run"], 2, /missing required argument 'command'/],
  [["run", "--mode", "always", "--", "true"], 2, /Allowed choices are auto, replay, record, live/],
  [["run", "--", "no-such-program"], 127, /no-such-program cannot be run: not found/],
  [["why"], 2, /There was no run in this folder/],
])("wrong usage: %j", async (args, code, message) => {
  const result = await tapedeck(args);
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code, stderr: expect.stringMatching(message) });
});

it("a configuration that is not valid is named with its place", async () => {
  await writeFile(join(folder, "tapedeck.config.json"), '{\n  "volatile": ["seed"]\n}\n');
  const { code, stderr } = await tapedeck(["run", "--", "true"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/tapedeck\.config\.json: volatile\.0: must be a JSON pointer such as \/metadata\/run_id/);
});
