import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { protocols, question } from "#tests/support/conversation-protocols";
import { isExtended, itExtended } from "#tests/support/extended";
import { type Answer, type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { runCli, runCommand, startCli } from "#tests/support/run-cli";
import { streamAnswer } from "#tests/support/tape-conversations";
import { temporaryFolder } from "#tests/support/temporary-folder";

const protocol = protocols.chat;
/**
 * Sends a prompt as an SDK does that gets all its settings from the environment; SDKs themselves are slow to load. Ends with
 * the given code, or 1 if it gets no answer.
 */
const program = `
import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
const [prompt, code] = process.argv.slice(2);
const { OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl = "https://api.openai.com/v1", PROGRAM_SEED: seed = 0, PROGRAM_PRINTS: prints } = process.env;
const headers = { "content-type": "application/json", ...(key && { authorization: "Bearer " + key }) };
const messages = [{ role: "user", content: prompt }];
const body = JSON.stringify({ model: "gpt-test-1", stream: true, seed: Number(seed), messages });
const { request } = baseUrl.startsWith("https:") ? https : http;
const sent = request(baseUrl + "/chat/completions", { method: "POST", headers }, async (response) => {
  const contents = [...(await text(response)).matchAll(/"content":"([^"]+)"/g)].map(([, content]) => content);
  if (prints) process.stdout.write(contents.join(""));
  process.exitCode = code ?? (response.statusCode === 200 ? 0 : 1);
});
sent.end(body);
`;

let folder: string;
let server: ProviderDouble;

beforeEach(async () => {
  folder = temporaryFolder();
  await writeFile(join(folder, "ask.mjs"), program);
});

const key = "sk-proj-Key0000Key1111Key2222Key3333Key4444";

type Environment = Record<string, string | undefined>;
const within = (environment: Environment) => ({
  cwd: folder,
  environment: { CI: undefined, OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined, ...environment },
});

/** Runs a command in this process. What it starts prints to this process's output. */
const tapedeck = (args: readonly string[], environment: Environment = {}) => runCommand(args, within(environment));

/** Runs the program with its model calls recorded or replayed. */
const ask = (flags: readonly string[], args: readonly string[], environment?: Environment) =>
  tapedeck(["run", ...flags, "--", "node", "ask.mjs", ...args], environment);

const replay = ["--mode", "replay"];

/** Starts a provider, and returns the variables that name it and a key. */
async function startAnswering(answer?: Answer) {
  const stream = streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
  server = await startProvider(answer ?? stream);
  return { OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_API_KEY: key };
}

async function record(prompt = question) {
  const environment = await startAnswering();
  expect(await ask([], [prompt], environment)).toMatchObject({ code: 0 });
  return environment;
}

const other = "Something else?";
const firstFile = () => join(folder, "tapes/default/001.cassette.json");

it("with --port, says where the proxy listens", async () => {
  const { stderr } = await tapedeck(["run", "--port", "0", "--", "node", "-e", "0"]);
  expect(stderr).toMatch(/^tapedeck: The proxy listens at http:\/\/127\.0\.0\.1:\d+$/m);
});

it("records with a key, and replays without a key and without a connection", async () => {
  const environment = await startAnswering();
  const runProgram = (flags: readonly string[], changes: Environment) =>
    runCli(["run", ...flags, "--", "node", "ask.mjs", question], within({ PROGRAM_PRINTS: "yes", ...changes }));
  expect(await runProgram([], environment)).toEqual({
    code: 0,
    stdout: "Sunscreen.",
    stderr: expect.stringMatching(
      /^tapedeck: 0 played, 1 recorded, 0 missed, 0 unused\n {2}spent: \d+ tokens in, \d+ out; price not known of gpt-test-1 \(1 call\)\n {2}models: gpt-test-1 not known\n {2}answers of servers on this machine: 127\.0\.0\.1:\d+ \(1 recorded\)\..*\n$/,
    ),
  });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
  await server.close();
  expect(await runProgram(["--complete"], { CI: "true" })).toEqual({
    code: 0,
    stdout: "Sunscreen.",
    stderr: expect.stringMatching(
      /^tapedeck: 1 played, 0 recorded, 0 missed, 0 unused\n {2}not spent: \d+ tokens in, \d+ out; price not known of gpt-test-1 \(1 call\)\n {2}models: gpt-test-1 not known\n {2}answers of servers on this machine: 127\.0\.0\.1:\d+ \(1 played without asking it\)\..*\n$/,
    ),
  });
});

it("refuses to record anew below a project that has tapes, unless their folder is named", async () => {
  const environment = await record();
  await writeFile(join(folder, "package.json"), "{}");
  const below = join(folder, "below");
  await mkdir(below);
  const from = (...args: string[]) => runCommand(args, { ...within(environment), cwd: below });
  const command = ["--", "node", "../ask.mjs", question];
  const refused = { code: 2, stderr: expect.stringContaining(`This project keeps its tapes in ${folder}.`) };
  expect(await from("run", ...command)).toMatchObject(refused);
  expect(await from("show")).toMatchObject(refused);
  expect((await from("run", "--tapes", "../tapes", ...replay, ...command)).code).toBe(0);
  // A package of its own has its own tapes.
  await writeFile(join(below, "package.json"), "{}");
  expect((await from("run", ...command)).code).toBe(0);
  expect(server.requests).toHaveLength(2);
});

it("names servers on this machine that answered, and were not asked in a replay, unless the configuration names them", async () => {
  const environment = await startAnswering();
  const { host } = new URL(server.origin);
  const line = (counts: string) =>
    `\n  answers of servers on this machine: ${host} (${counts}). To test such a server,`;
  expect((await ask([], [question], environment)).stderr).toContain(line("1 recorded"));
  expect((await ask([], [other], environment)).stderr).toContain(line("1 recorded"));
  await server.close();
  const played = await ask(["--complete", ...replay], [question], environment);
  expect(played.stderr).toContain(line("1 played without asking it"));
  // The tape says who answered, whatever the variable names now.
  expect((await ask(replay, [question])).stderr).toContain(line("1 played without asking it"));
  const configured = await startAnswering();
  const upstreams = { openai: { url: configured.OPENAI_BASE_URL, provider: "openai-chat" } };
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ upstreams }));
  for (const mode of ["record", "replay"]) {
    const run = await ask(["--mode", mode, "--tapes", "configured"], [question], configured);
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("servers on this machine") });
  }
});

it("a package uses the configuration of its repository and keeps its own tapes, and says so", async () => {
  const { OPENAI_BASE_URL } = await startAnswering();
  const [a = "", old = ""] = ["a", "old"].map((name) => join(folder, "packages", name));
  for (const each of [a, old]) await mkdir(each, { recursive: true });
  for (const each of [a, old]) await writeFile(join(each, "package.json"), "{}");
  const from = (cwd: string, flags: readonly string[], environment: Environment = {}) =>
    runCommand(["run", ...flags, "--", "node", "../../ask.mjs", question], { ...within(environment), cwd });
  expect((await from(old, [], { OPENAI_BASE_URL })).code).toBe(0);
  const addresses = { "api.openai.com": server.origin };
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ tapes: "kept", addresses }));
  const recorded = await from(a, []);
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("1 recorded") });
  expect(recorded.stderr.startsWith("tapedeck: The configuration is ../../tapedeck.config.json.\n")).toBe(true);
  expect(recorded.stderr).toContain(`\n  recorded from other addresses: api.openai.com at ${server.origin}\n`);
  const shown = await tapedeck(["show", "packages/a/tapes/default/001.cassette.json"]);
  expect(shown.stdout).toMatch(new RegExp(`^Asked +${server.origin} in place of https://api.openai.com$`, "m"));
  // Tapes from before the configuration are found where they are.
  expect((await from(old, replay, { OPENAI_BASE_URL })).stderr).toContain("1 played, 0 recorded, 0 missed");
  // The repository's own tapes are not those of a package.
  const configuration = "tapedeck: The configuration is ../../tapedeck.config.json.";
  await cp(join(a, "tapes"), join(folder, "kept"), { recursive: true });
  const fresh = join(folder, "packages/fresh");
  await mkdir(fresh);
  await writeFile(join(fresh, "package.json"), "{}");
  const line = `${configuration} Its tapes in ../../kept are not used here; a run in ../.. uses them.\n`;
  expect((await from(fresh, replay)).stderr.startsWith(line)).toBe(true);
  expect((await from(a, replay)).stderr.startsWith(`${configuration}\n`)).toBe(true);
  expect(await runCommand(["show"], { cwd: fresh })).toMatchObject({
    code: 2,
    stderr: `There is no folder ${join(fresh, "tapes")} with tapes. Those in ../../kept are not used here: start the command in ../.., or use --tapes ../../kept\n`,
  });
  // A repository's configuration ends at its folder.
  await mkdir(join(a, ".git"));
  expect((await from(a, replay)).stderr).not.toContain("The configuration is");
});

it("prune reads the tapes of the last run, and no others", async () => {
  const environment = await startAnswering();
  expect((await ask(["--tapes", "kept"], [question], environment)).code).toBe(0);
  expect((await ask(["--tapes", "kept", "--complete"], [question], environment)).code).toBe(0);
  expect((await tapedeck(["prune"])).stdout).toBe("The last run used every recording of all tapes.\n");
  const refused = `The last run used the tapes in ${join(folder, "kept")}, not those in ${join(folder, "tapes")}.\n`;
  expect(await tapedeck(["prune", "--tapes", "tapes"])).toMatchObject({ code: 2, stderr: refused });
});

it("prune --errors removes errors that a later answer to the same request followed, and no others", async () => {
  const stream = streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
  let count = 0;
  const environment = await startAnswering((response, ...rest) => {
    count += 1;
    if (count === 2) return stream(response, ...rest);
    return void response.writeHead(429, { "content-type": "application/json" }).end("{}");
  });
  const retrying = `node ask.mjs '${question}' 0; node ask.mjs '${question}' 0; node ask.mjs '${other}' 0`;
  const run = (...flags: string[]) => tapedeck(["run", ...flags, "--", "sh", "-c", retrying], environment);
  expect((await run()).stderr).toContain("3 recorded");
  expect((await tapedeck(["prune", "--errors"])).stdout).toMatch(
    /^retried {2}default: 001\.cassette\.json\nNothing was/,
  );
  expect((await tapedeck(["prune", "--errors", "--force"])).stdout).toBe("removed  default: 001.cassette.json\n");
  expect((await tapedeck(["prune", "--errors"])).stdout).toMatch(/^No tape has an error/);
  expect((await run("--mode", "replay")).stderr).toContain("2 played, 0 recorded, 1 missed, 0 unused");
});

it("--keep-failed names the errors that it keeps", async () => {
  const environment = await startAnswering(
    (response) => void response.writeHead(400, { "content-type": "application/json" }).end("{}"),
  );
  const failing = ["sh", "-c", `node ask.mjs '${question}' 0; exit 1`];
  const { stderr } = await tapedeck(["run", "--mode", "record", "--keep-failed", "--", ...failing], environment);
  expect(stderr).toContain("1 recorded");
  expect(stderr).toContain("001.cassette.json was recorded with status 400: POST ");
});

it("writes tokens, costs and models to a JUnit file and to the summary of a GitHub job", async () => {
  await record();
  const summary = join(folder, "summary.md");
  const flags = [...replay, "--junit", "reports/junit.xml"];
  expect((await ask(flags, [question], { GITHUB_STEP_SUMMARY: summary })).code).toBe(0);
  expect(await readFile(join(folder, "reports/junit.xml"), "utf8")).toContain(
    '<property name="tapedeck.not_spent.unpriced_calls" value="1"/>',
  );
  expect(await readFile(summary, "utf8")).toMatch(
    /## Tapedeck\n\ntapedeck: 1 played[\s\S]*\| gpt-test-1 \| not known \| 1 \|/,
  );
  if (!isExtended) return;
  // A report that cannot be written is no reason to fail what has passed.
  const unwritable = await ask([...replay, "--junit", "ask.mjs/junit.xml"], [question]);
  expect(unwritable).toMatchObject({ code: 0, stderr: expect.stringContaining("A report of the run was not written") });
});

it("fails with --max-age if a recording is older, and names its tape", async () => {
  await record();
  const age = (days: string) => ask([...replay, "--max-age", days], [question]);
  if (isExtended) expect((await age("1d")).code).toBe(0);
  const aged = (await readFile(firstFile(), "utf8")).replace(
    /"recorded_at": "[^"]+"/,
    '"recorded_at": "2025-01-02T00:00:00Z"',
  );
  await writeFile(firstFile(), aged);
  const { code, stderr } = await age("90d");
  expect(code).toBe(1);
  expect(stderr).toContain("  default: recordings that are too old: 1, the oldest from 2025-01-02\n");
  expect(stderr).toContain("Recordings that are older than 90 days, or of unknown date: 1.");
  await writeFile(join(folder, "tapedeck.config.json"), '{ "max_age": 90 }');
  expect(await ask(replay, [question])).toMatchObject({ code: 0, stderr: expect.stringContaining("too old: 1") });
  expect((await age("90")).stderr).toContain("Recordings that are older than 90 days, or of unknown date: 1.");
  await writeFile(firstFile(), aged.replace('"source": {', '"source": { "dated": false,'));
  expect((await age("90d")).stderr).toContain("recordings that are too old: 1, the oldest from an unknown day\n");
  expect(await age("3 weeks")).toMatchObject({ code: 2, stderr: expect.stringContaining("such as 30d") });
});

it("passes the exit code on, explains a miss, and removes what is not used", async () => {
  await record();
  expect((await ask(replay, [question, "7"])).code).toBe(7);
  const missed = await ask(replay, [other]);
  expect(missed).toMatchObject({ code: 1, stderr: expect.stringMatching(/0 played, 0 recorded, 1 missed, 1 unused/) });
  expect(await tapedeck(["prune"])).toMatchObject({ code: 1, stderr: expect.stringContaining("the last run failed") });
  const why = await tapedeck(["why"]);
  expect(why.stdout).toContain("The nearest recording is 001.cassette.json:\n  /messages/0/content was ");
  expect(why.stdout).toContain(`Record it with: npm run -s tapedeck -- run --mode auto -- node ask.mjs '${other}'\n`);
  const secret = `sk-proj-${"a1B2c3D4e5F6".repeat(4)}`;
  const withSecret = await ask(replay, [other, "0", secret]);
  expect(withSecret.stderr).toContain(`-- node ask.mjs '${other}' 0 `);
  expect(withSecret.stderr).not.toContain(secret);
  await record(other);
  await ask(replay, [other]);
  expect((await tapedeck(["prune", "--force"])).stdout).toMatch(/^kept {2}default: 1, which tests that did not run/);
  const unused = /1 played, 0 recorded, 0 missed, 1 unused[\s\S]*Recordings that were not used: 1/;
  expect(await ask([...replay, "--complete"], [other])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(unused),
  });
  expect((await tapedeck(["prune", "--force"])).stdout).toMatch(
    /^kept {2}default: 1, .* of all tests: .*prune --all\n$/,
  );
  expect((await tapedeck(["prune", "--all", "--force"])).stdout).toBe("removed  default: 001.cassette.json\n");
  expect(await readdir(join(folder, "tapes/default"))).toEqual(["002.cassette.json", "tape.json"]);
});

it("doctor proposes the fields that differ", async () => {
  await record();
  const { code, stdout } = await tapedeck(["doctor", "--", "node", "ask.mjs", other]);
  expect(code).toBe(1);
  // Not ready to paste: with this pointer, any prompt would match.
  expect(stdout).toMatch(/part of a prompt\. Make it constant in tests[\s\S]*\n {2}\/messages\/0\/content\n$/);
  expect(stdout).not.toContain("{");
  const seeded = await tapedeck(["doctor", "--", "node", "ask.mjs", question], { PROGRAM_SEED: "7" });
  const proposed = JSON.parse(seeded.stdout.slice(seeded.stdout.indexOf("{")));
  expect([seeded.code, proposed]).toEqual([1, { volatile: ["/seed"] }]);
  if (!isExtended) return;
  // Alone, the field does not help: the prompt differs too.
  const both = await tapedeck(["doctor", "--", "node", "ask.mjs", other], { PROGRAM_SEED: "7" });
  expect(both.stdout).toMatch(/without them alone no request matches a recording:\n {2}\/seed\n$/);
  expect(both.stdout).not.toContain("{");
  const idle = await tapedeck(["doctor", "--", "node", "-e", "process.exit(3)"]);
  expect(idle).toMatchObject({ code: 3, stdout: "" });
});

it("doctor proposes no hash of a file, without which any file would have the answer", async () => {
  const upload = `
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array([255, Number(process.argv[2])])]), "a.wav");
    const { OPENAI_BASE_URL: baseUrl = "https://api.openai.com/v1" } = process.env;
    await fetch(baseUrl + "/audio/transcriptions", { method: "POST", body: form });`;
  await writeFile(join(folder, "upload.mjs"), upload);
  const environment = await startAnswering();
  expect(await tapedeck(["run", "--", "node", "upload.mjs", "1"], environment)).toMatchObject({ code: 0 });
  const { code, stdout } = await tapedeck(["doctor", "--", "node", "upload.mjs", "2"]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^These files differ .*:\n {2}\/multipart\/0\/sha256\n$/)]);
});

it("a miss fails a replay although the command passes, and keeps prune from its recordings", async () => {
  await record();
  const unreachable = { OPENAI_BASE_URL: "http://127.0.0.1:9" };
  const runs: [readonly string[], Environment][] = [
    [[], { CI: "true" }],
    [replay, {}],
    [["--complete"], {}],
  ];
  for (const [flags, environment] of isExtended ? runs : runs.slice(0, 1)) {
    const missed = await ask(flags, [other, "0"], { ...unreachable, ...environment });
    const message = /1 missed, 1 unused[\s\S]*The command passed, but the run failed\. .*answered: 1\.\n$/;
    expect(missed).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  }
  expect(await tapedeck(["prune"])).toMatchObject({ code: 1, stderr: expect.stringContaining("missed a recording") });
  const auto = await ask([], [other, "0"], unreachable);
  const message = /1 missed[\s\S]*It could not be recorded: .*ECONNREFUSED/;
  expect(auto).toMatchObject({ code: 0, stderr: expect.stringMatching(message) });
});

itExtended("a recording that was edited, or that is broken, fails a replay too; mode record repairs it", async () => {
  const environment = await record();
  const whole = await readFile(firstFile(), "utf8");
  const half = whole.slice(0, 200);
  for (const [text, message] of [
    [
      whole.replace("Sunscreen", "Moonlight"),
      /1 unreadable[\s\S]*with the command `edit`\. Restore the file, or delete its folder and record the test again/,
    ],
    [half, /1 unreadable[\s\S]*not valid JSON.* or delete it\. Record what it lacks: .*--mode auto/],
  ] as const) {
    await writeFile(firstFile(), text);
    expect(await ask(replay, [question, "0"])).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  }
  const failed = await ask(["--mode", "record"], [question, "4"], environment);
  const kept = /0 recorded[\s\S]*default: The command failed, so its old tape stays/;
  expect(failed).toMatchObject({ code: 4, stderr: expect.stringMatching(kept) });
  expect(await readFile(firstFile(), "utf8")).toBe(half);
  expect((await ask(["--mode", "record"], [question], environment)).code).toBe(0);
  expect((await ask(replay, [question])).code).toBe(0);
  const { stderr } = await ask(["--mode", "record"], [other], environment);
  expect(stderr).toContain('The whole tape "default" was replaced. Recordings before: 1, now: 1.');
});

const notKnown =
  "Which recordings are unused is not known: the last run failed or was killed, missed a recording, made no request or was live. Run all tests until they pass: npm run -s tapedeck -- run --complete -- <command>\n";

itExtended(
  "prune says that a run used everything only of the tapes that it opened, and only if it passed",
  async () => {
    const environment = await record();
    const used =
      "The last run used every recording of the tapes that it opened. To check all tapes: npm run -s tapedeck -- run --complete";
    expect((await tapedeck(["prune"])).stdout).toContain(used);
    expect((await ask(["--complete"], [question])).code).toBe(0);
    expect((await tapedeck(["prune"])).stdout).toBe("The last run used every recording of all tapes.\n");
    expect((await ask(["--complete"], [question, "3"])).code).toBe(3);
    expect(await tapedeck(["prune", "--force"])).toEqual({ code: 1, stdout: "", stderr: notKnown });
    expect((await ask([], [question])).code).toBe(0);
    // What a run leaves that is killed.
    const during = `process.exitCode = JSON.parse(require("fs").readFileSync(".tapedeck/last-run.json")).hasPassed ? 1 : 0`;
    expect((await tapedeck(["run", "--", "node", "-e", during])).code).toBe(0);
    expect((await tapedeck(["why"])).stdout).toContain("The last run made no request");
    expect((await ask(["--mode", "live"], [question], environment)).code).toBe(0);
    expect((await tapedeck(["prune"])).stderr).toBe(notKnown);
  },
);

it("a run whose tasks a runner answers from its cache says how to run them, and names the strict mode", async () => {
  const bin = join(folder, "node_modules/.bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "turbo"), "");
  const turbo = (args: readonly string[], environment: Environment = {}) =>
    tapedeck(["run", "--", "sh", "-c", `node node_modules/.bin/turbo run test ${args.join(" ")}`], environment);
  const { stderr } = await turbo([]);
  expect(stderr).toContain(
    "\n  No call of a model came to the proxy. Tasks that turbo answers from its cache do not run: --force",
  );
  expect(stderr).not.toContain("strict");
  expect((await turbo(["--env-mode=strict"])).stderr).toContain("\n  turbo is in its strict mode");
  expect((await turbo([], { TURBO_ENV_MODE: "strict" })).stderr).toContain("use TURBO_ENV_MODE=loose\n");
  expect((await tapedeck(["run", "--", "node", "-e", ""])).stderr).toContain(
    "If it makes some, its client may ignore HTTPS_PROXY, or ask",
  );
});

it("a command that fails without a call is not advised to name hosts", async () => {
  const { code, stderr } = await tapedeck(["run", "--", "node", "-e", "process.exit(3)"]);
  const counts = "tapedeck: 0 played, 0 recorded, 0 missed, 0 unused\n";
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: `${counts}  The command ended with 3, and no call of a model came to the proxy.\n`,
  });
});

it.each([0, 3])(
  "a run without a call, for a server on this machine, that ends with %s says how others reach it",
  async (exit) => {
    const run = ["run", "--hosts", "127.0.0.1:4361", "--", "node", "-e", `process.exit(${exit})`];
    expect((await tapedeck(run)).stderr).toContain(
      "to the proxy. If a program other than Node.js and Bun asks 127.0.0.1:4361, start each run with OPENAI_BASE_URL=http://127.0.0.1:4361/v1,",
    );
    // It is so already.
    const { stderr } = await tapedeck(run, { OPENAI_BASE_URL: "http://localhost:4361/v1" });
    expect(stderr).toMatch(/to the proxy\.\n$/);
  },
);

it("a run without a call names a server on this machine of the configuration, too", async () => {
  await writeFile(join(folder, "tapedeck.config.json"), '{"hosts": ["127.0.0.1:4361"]}');
  expect((await tapedeck(["run", "--", "node", "-e", ""])).stderr).toContain(
    "to the proxy. If a program other than Node.js and Bun asks 127.0.0.1:4361,",
  );
});

it("after a failed run of everything, why names the unused recordings of tapes that it did not open, and prune keeps them, as it does after a passed one until --all", async () => {
  await record();
  const [root, kept] = [join(folder, "tapes"), "tests/a.test.ts > one"];
  const tape = join(root, "tests/a-test-ts/one");
  await cp(join(root, "default"), tape, { recursive: true });
  const list = await readFile(join(tape, "tape.json"), "utf8");
  await writeFile(join(tape, "tape.json"), list.replace('"default"', JSON.stringify(kept)));
  const refused = { code: 2, stderr: expect.stringContaining("--all needs a run of all tests with --complete") };
  expect(await tapedeck(["prune", "--all", "--force"])).toMatchObject(refused);
  const run = await ask([...replay, "--complete"], [question, "3"]);
  const line = `  ${kept}: nothing asked for 001.cassette.json\n`;
  expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining(line) });
  expect((await tapedeck(["why"])).stdout).toContain(line);
  expect((await tapedeck(["prune", "--force"])).code).toBe(1);
  expect(await tapedeck(["prune", "--all", "--force"])).toMatchObject(refused);
  expect((await ask([...replay, "--complete"], [question])).stderr).toContain(
    "not used: 1, of which 1 are on tapes that the run did not open. If the command ran all tests, npm run -s tapedeck -- prune --all lists",
  );
  // It may have been of a part of the tests.
  expect((await tapedeck(["prune", "--force"])).stdout).toBe(
    "not opened by the last run: 1 tape. If the last run was of all tests: npm run -s tapedeck -- prune --all\n",
  );
  expect(await readdir(tape)).toContain("001.cassette.json");
  expect((await tapedeck(["prune", "--all"])).stdout).toContain(
    "To remove what is listed: npm run -s tapedeck -- prune --all --force\n",
  );
  expect((await tapedeck(["prune", "--all", "--force"])).stdout).toBe(`removed  ${kept}: 001.cassette.json\n`);
  expect(await readdir(dirname(tape))).toEqual([]);
});

it("recordings that a run with tasks in a cache did not use stay, until all tasks run", async () => {
  for (const prompt of [question, "Hi"]) await record(prompt);
  const bin = join(folder, "node_modules/.bin");
  await mkdir(bin, { recursive: true });
  for (const [name, flag] of [
    ["nx", "--skip-nx-cache"],
    ["turbo", "--force"],
  ] as const) {
    await writeFile(join(bin, name), "");
    const runTasks = (args: string) =>
      tapedeck(["run", "--complete", "--", "sh", "-c", `node node_modules/.bin/${name} test ${args}; node ask.mjs Hi`]);
    // What follows the separator is none of the runner's.
    const { code, stderr } = await runTasks(`-- ${flag}`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `\n  Tasks that ${name} answers from its cache do not run: ${flag} runs them, and so does "cache": false in ${name}.json.\n`,
    );
    expect(stderr).toContain(`Whether tests need them is known once ${name} runs all tasks: ${flag}.\n`);
    expect(stderr).not.toContain("prune");
    const kept = `Which recordings are unused is not known: ${name} may have answered tasks from its cache. Run all with its ${flag}, until they pass: npm run -s tapedeck -- run --complete -- <command>\n`;
    for (const flags of [[], ["--force"]])
      expect(await tapedeck(["prune", ...flags])).toEqual({ code: 1, stdout: "", stderr: kept });
    expect(await readdir(join(folder, "tapes/default"))).toContain("001.cassette.json");
    expect((await runTasks(flag)).stderr).toContain("prune --all lists them");
    expect((await tapedeck(["prune", "--all"])).stdout).toContain("unused  default: 001.cassette.json\n");
  }
});

itExtended("a run without requests removes nothing, and says that none came", async () => {
  await record();
  const idle = await tapedeck(["run", "--complete", "--", "true"]);
  expect(idle).toMatchObject({ code: 1, stderr: expect.stringContaining("No call of a model came to the proxy.") });
  // What the run did not open stays even then.
  for (const flags of [[], ["--dry-run"], ["--force"]])
    expect(await tapedeck(["prune", ...flags])).toEqual({ code: 1, stdout: "", stderr: notKnown });
  expect(await readdir(join(folder, "tapes/default"))).toContain("001.cassette.json");
});

it("an answer that cannot be written counts as missed and fails the run", async () => {
  const environment = await startAnswering(async (response, received) => {
    await writeFile(join(folder, "tapes"), "not a folder");
    await streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"))(response, received);
  });
  const { code, stderr } = await ask([], [question], environment);
  expect(code).toBe(1);
  expect(stderr).toContain("tapedeck: 0 played, 0 recorded, 1 missed, 0 unused\n");
  expect(stderr).toContain("001.cassette.json: a part of the path is a file, not a folder.\n");
  expect(stderr).toContain("The command passed, but the run failed. Answers that could not be stored: 1.");
});

it("a recording that may have a secret is not stored and fails the run, and the summary says what to do", async () => {
  const environment = await startAnswering();
  const random = ["q7Rk2", "mZ9xV", "b4Lp8", "Tn3Wd", "6hYc1"].join("");
  const prompt = `The token that our robot has (a new one) ${random}`;
  for (const mode of isExtended ? ["auto", "record"] : ["record"]) {
    const { code, stderr } = await ask(["--mode", mode], [prompt], environment);
    expect(code).toBe(1);
    expect(stderr).toContain("tapedeck: 0 played, 0 recorded, 0 missed, 0 unused, 1 withheld\n");
    expect(stderr).toMatch(
      /was not stored: its request has at \/messages\/0\/content what looks like a secret, 25 characters long\. .*"redact" in tapedeck\.config\.json\..*"allow"/,
    );
    expect(stderr).not.toContain(random);
    expect(await readdir(join(folder, "tapes")).catch(() => [])).toEqual([]);
  }
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ allow: [random] }));
  expect(await ask([], [prompt], environment)).toMatchObject({ code: 0 });
});

it("says that a proxy of the user's is not used, where something can be recorded", async () => {
  const environment = await startAnswering();
  const proxy = { HTTPS_PROXY: "http://user:password@127.0.0.1:9", http_proxy: undefined, https_proxy: undefined };
  const recorded = await ask([], [question], { ...environment, ...proxy });
  expect(recorded).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("tapedeck: The proxy in HTTPS_PROXY is not used"),
  });
  expect(recorded.stderr).not.toContain("password");
  const replayed = await ask(replay, [question], proxy);
  expect(replayed.stderr).toMatch(/^tapedeck: 1 played, 0 recorded, 0 missed, 0 unused\n/);
  expect(replayed.stderr).not.toContain("proxy");
});

it("mode live counts what it passes through, and sends no placeholder", async () => {
  const environment = { ...(await startAnswering()), OPENAI_API_KEY: undefined };
  const headers = "{ authorization: 'Bearer ' + (process.env.OPENAI_API_KEY ?? 'replayed-by-tapedeck') }";
  const send = `await fetch(process.env.OPENAI_BASE_URL + "/models", { headers: ${headers} })`;
  const program = ["node", "--input-type=module", "-e", send];
  const passed = await tapedeck(["run", "--mode", "live", "--", ...program], environment);
  expect(passed).toMatchObject({ code: 0, stderr: expect.stringContaining("0 unused, 1 passed through\n") });
  expect(server.requests.map((each) => each.headers.authorization)).toEqual([undefined]);
});

it("a key that is missing gets a placeholder if calls of its provider are on the tapes", async () => {
  await startAnswering();
  const addresses = { "api.groq.com": server.origin };
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
  const program = `
    const headers = { authorization: "Bearer " + process.env.GROQ_API_KEY, "content-type": "application/json" };
    const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] });
    const answer = await fetch("https://api.groq.com/openai/v1/chat/completions", { method: "POST", headers, body });
    const { GROQ_API_KEY, XAI_API_KEY } = process.env;
    require("node:fs").writeFileSync("keys.json", JSON.stringify([answer.status, GROQ_API_KEY, XAI_API_KEY]));`;
  await writeFile(join(folder, "groq.cjs"), `(async () => {${program}})();`);
  const run = async (mode: string, environment: Environment) => {
    const { code, stderr } = await tapedeck(["run", "--mode", mode, "--", "node", "groq.cjs"], {
      XAI_API_KEY: undefined,
      ...environment,
    });
    return { code, stderr, keys: JSON.parse(await readFile(join(folder, "keys.json"), "utf8")) };
  };
  expect(await run("auto", { GROQ_API_KEY: "own-key" })).toMatchObject({ code: 0, keys: [200, "own-key", null] });
  const replayed = await run("replay", { GROQ_API_KEY: undefined });
  expect(replayed).toMatchObject({ code: 0, keys: [200, "replayed-by-tapedeck", null] });
});

it("a refused placeholder names the variable that is not set", async () => {
  const { OPENAI_BASE_URL } = await startAnswering((response) => void response.writeHead(401).end("{}"));
  const { stderr } = await ask([], [question], { OPENAI_BASE_URL });
  expect(stderr).toContain("1 missed");
  expect(stderr).toContain("It could not be recorded: the provider refused it with 401: OPENAI_API_KEY is not set.");
});

itExtended(
  "recordings that may be wrong are named: with an error that is not retried, or of a command that failed",
  async () => {
    const path = join(folder, "tapes/default");
    const place = `POST /v1/chat/completions. To record it again, delete ${path}.`;
    const missing = await startAnswering((response) => void response.writeHead(404).end("{}"));
    const wrong = await ask([], [question, "0"], missing);
    expect(wrong.stderr).toContain(`default: 001.cassette.json was recorded with status 404: ${place}\n`);
    await rm(path, { recursive: true });
    const failed = await ask([], [question, "1"], await startAnswering());
    expect(failed.stderr).toContain(`001.cassette.json was recorded before the command failed: ${place}\n`);
  },
);

it.each(["auto", "record"])(
  "in mode %s, a command that is stopped keeps its recordings, and the others",
  async (mode) => {
    for (const prompt of mode === "record" ? [question, other] : [other]) await record(prompt);
    const environment = { ...(await startAnswering()), PROGRAM_PRINTS: "yes" };
    await writeFile(join(folder, "serve.mjs"), `${program}\nsetInterval(() => undefined, 60_000);`);
    const args = ["run", "--mode", mode, "--", "node", "serve.mjs", question];
    const command = startCli(args, within(environment));
    await expect.poll(command.stdout).toContain("Sunscreen.");
    command.process.kill("SIGINT");
    await command.ended;
    expect(command.stderr()).toMatch(/^tapedeck: 0 played, 1 recorded/);
    expect(command.stderr()).not.toContain("failed");
    if (mode === "record")
      expect(command.stderr()).toContain(
        "default: It was stopped: recordings that it did not ask for stay: 1, recorded again or new: 1.\n",
      );
    await server.close();
    for (const prompt of [question, other]) expect(await ask(replay, [prompt])).toMatchObject({ code: 0 });
  },
);

it("a miss is told while the command runs, once for those of its kind", async () => {
  const environment = await record();
  const twice = `
    const body = JSON.stringify({ model: "gpt-test-1", messages: [{ role: "user", content: "${other}" }] });
    for (let count = 0; count < 2; count++)
      await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body });
    console.log("asked twice");
    setInterval(() => undefined, 60_000);`;
  await writeFile(join(folder, "twice.mjs"), twice);
  const command = startCli(["run", ...replay, "--", "node", "twice.mjs"], within(environment));
  await expect.poll(command.stdout).toContain("asked twice");
  const line =
    /^tapedeck: "default": no recording of POST \/v1\/chat\/completions.* Nearest is 001\.cassette\.json: .*$/gm;
  await expect.poll(command.stderr).toMatch(line);
  command.process.kill("SIGINT");
  await command.ended;
  expect(command.stderr().match(line)).toHaveLength(1);
  expect(command.stderr()).toContain("2 missed");
});

it.each([
  [["run"], 2, /missing required argument 'command'/],
  [["run", "--mode", "always", "--", "true"], 2, /Allowed choices are auto, replay, record, live/],
  [["run", "--", "no-such-program"], 127, /no-such-program cannot be run: not found/],
  [["why"], 2, /There was no run in this folder/],
  [["run", "--complete", "--mode", "live", "--", "true"], 2, /--complete needs the mode auto or replay/],
])("wrong usage: %j", async (args, code, message) => {
  const result = await tapedeck(args);
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code, stderr: expect.stringMatching(message) });
});

it("a configuration that is not valid is named with its place", async () => {
  await writeFile(join(folder, "tapedeck.config.json"), '{\n  "volatile": ["seed"]\n}\n');
  const { code, stderr } = await tapedeck(["run", "--", "true"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/tapedeck\.config\.json: volatile\.0: must be a JSON pointer such as \/metadata\/run_id/);
  for (const [text, message] of [
    ['{ "redact": ["Jo"] }', "redact.0: must have at least 3 characters"],
    ['{ "volatile": ["/multipart/1/sha256"] }', "volatile.0: would accept any file"],
    ['{ "volatile": ["/binary"] }', "volatile.0: would accept any file"],
    ['{ "max_age": 0 }', "max_age: must be more than 0"],
    ['{ "tape": "x" }', /unknown key "tape"\. Known are \$schema, tapes, upstreams, hosts, .*, match/],
    [
      '{ "upstreams": { "a": { "url": "http://a.example", "provider": "http", "x": 1 } } }',
      'upstreams.a: unknown key "x"',
    ],
    ['{ "addresses": { "api.openai.com": "127.0.0.1:80" } }', "must be a URL such as http://127.0.0.1:4010"],
    ['{ "addresses": { "https://a.example": "http://127.0.0.1:80" } }', /: must be a host .*, without \* and https/],
    ["[]", "must be an object"],
  ] as const) {
    await writeFile(join(folder, "tapedeck.config.json"), text);
    const refused = await tapedeck(["run", "--", "true"]);
    expect(refused.stderr.split("tapedeck.config.json: ")[1]).toMatch(message);
  }
  await rm(join(folder, "tapedeck.config.json"));
  const url = await tapedeck(["run", "--", "true"], { OPENAI_BASE_URL: "nonsense" });
  expect(url).toMatchObject({ code: 2, stderr: 'OPENAI_BASE_URL is "nonsense", which is not an http(s) URL.\n' });
});
