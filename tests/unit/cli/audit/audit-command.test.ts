import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, relative } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readCode } from "#lib/cli/audit/read-code";
import { bundledModels } from "#lib/models/index";
import { listen } from "#tests/support/listen";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder, writeIn } from "#tests/support/temporary-folder";

const root = temporaryFolder();

/** Writes the tape of a test, which asks a model once. */
async function writeTape(tape: string, test: string, model: string): Promise<void> {
  await writeIn(tape, "tape.json", JSON.stringify({ test }));
  const request = { method: "POST", path: "/v1/messages", query: "", body: { json: { model } } };
  const recording = { provider: "anthropic", request, response: { headers: {} }, chunks: [] };
  await writeIn(tape, "001.cassette.json", JSON.stringify(recording));
}

beforeAll(async () => {
  await writeTape(join(root, "tapes/books"), "trip.test.ts > books", "claude-2.0");
  const files = {
    "src/a.py": 'MODEL = "gpt-4-0314"  # not "claude-2.1x"\nother = "gpt-4"\n',
    "src/README.md": 'Once it was "claude-1.0".\n',
    "src/config.yaml": "name: gemini-2.0-flash # was gemini-1.5-pro\n",
    "src/.env.test": "MODEL=openai/o1-mini\n",
    "src/.cache/old.py": '"claude-1.0"',
    "src/node_modules/a/index.js": '"claude-1.0"',
    "src/large.json": `"claude-1.0"${" ".repeat(1024 * 1024)}`,
  };
  for (const [file, text] of Object.entries(files)) await writeIn(root, file, text);
});

const audit = (args: readonly string[], environment = {}) =>
  runCommand(["audit", "--tapes", join(root, "tapes"), ...args], { environment });

it("finds the models of tapes, and in code those of strings, values and .env files", async () => {
  const { code, stdout } = await audit(["--code", join(root, "src"), "--json"]);
  const { tapes, recordings, code_files: files, catalogue, models } = JSON.parse(stdout);
  expect([code, tapes, recordings, files]).toEqual([0, 1, 1, 3]);
  expect(catalogue.read).toMatch(/^\d{4}-\d\d-\d\d$/);
  const rows = models.map((each: { id: string; code: { file: string; line: number }[] }) => [
    each.id,
    ...each.code.map(({ file, line }) => `${file.split("/").at(-1)}:${line}`),
  ]);
  expect(Object.fromEntries(rows.map(([id, ...places]: string[]) => [id, places.join()]))).toEqual({
    "claude-2.0": "",
    "gpt-4": "a.py:2",
    "gpt-4-0314": "a.py:1",
    "gemini-2.0-flash": "config.yaml:1",
    "o1-mini": ".env.test:1",
  });
});

it("takes a word in code for a model only where it is called one", async () => {
  const file = join(root, "words.ts");
  const lines = [
    'const person = { model: "gpt-4", name: "Ada" };',
    'call({ "model": "ada", command: "command" });',
    'const model = env.MODEL ?? "sonar";',
    'run("command", "openai/davinci");',
    'const models = ["gpt-4", "sonar"], model =',
    '  "sonar"',
    'author = "Ada"',
    "MODEL=gpt-4",
    "OWNER=ada",
    "model: sonar",
    "format: sonar",
  ];
  await writeFile(file, lines.join("\n"));
  const { models } = JSON.parse((await audit(["--code", file, "--json"])).stdout);
  const found = models.flatMap(({ id, code }: { id: string; code: { line: number }[] }) =>
    code.map(({ line }) => `${line} ${id}`),
  );
  expect(found.sort()).toEqual([
    "1 gpt-4",
    "10 sonar",
    "2 ada",
    "3 sonar",
    "4 davinci",
    "5 gpt-4",
    "5 sonar",
    "6 sonar",
    "8 gpt-4",
  ]);
});

it("finds names in lists and below keys called model, known or not, and no words of prose and variables", async () => {
  const file = join(root, "lists.yaml");
  const lines = [
    "- gpt-3.5-turbo",
    "chain: [gpt-3.5-turbo, o1]",
    "FALLBACKS=gpt-3.5-turbo,o1",
    "model: tts-1",
    "model_id: amazon.titan-text-express-v1",
    "model: gemini-2.5-flash-preview-09-2025 # old",
    'client.run(model="whisper-9", voice="alloy-2")',
    "models:",
    "  - tts-1",
    "  - gpt-4",
    'MODELS: ["gpt-4", "one-of-the-models-of-this-house-1", "one-of-the-models-of-this-house-2", "tts-1"]',
    "# such as gpt-3.5-turbo, gpt-4, o1",
    'say("gpt-4 is old", o1, command);',
    "def run(model, command, o1):",
    "model: self.model",
    'model: "Invoice"',
    '{ model: name, "user-profile": 1 }',
    "modelPath: data-1",
    '<input v-model="form-1">',
    "// The small one (gpt-3.5-turbo) is cheap.",
    "const size = o1;",
    "",
    'fetch("/v1/models/gpt-4");',
  ];
  await writeFile(file, lines.join("\r\n"));
  const { models } = JSON.parse((await audit(["--code", file, "--json"])).stdout);
  type Found = { id: string | null; names: string[]; code: { line: number }[] };
  const found = models.flatMap(({ id, names, code }: Found) =>
    code.map(({ line }) => `${line} ${id ?? `? ${names[0]}`}`),
  );
  const lineOf = (text: string) => Number(text.split(" ")[0]);
  expect(found.sort((a: string, b: string) => lineOf(a) - lineOf(b))).toEqual([
    "1 gpt-3.5-turbo",
    "2 gpt-3.5-turbo",
    "2 o1",
    "3 gpt-3.5-turbo",
    "3 o1",
    "4 ? tts-1",
    "5 ? amazon.titan-text-express-v1",
    "6 ? gemini-2.5-flash-preview-09-2025",
    "7 ? whisper-9",
    "9 ? tts-1",
    "10 gpt-4",
    "11 gpt-4",
    "11 ? tts-1",
    "11 ? one-of-the-models-of-this-house-1",
    "11 ? one-of-the-models-of-this-house-2",
    "23 gpt-4",
  ]);
});

it.each([
  ["fetch(base + `/v1/models/gemini-2.0-flash:generateContent`)", "gemini-2.0-flash"],
  [
    'url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:generateContent"',
    "gemini-2.0-flash",
  ],
  ["`{base}/openai/deployments/gpt-4o/chat/completions`", "gpt-4o"],
  ["MODEL=gpt-5-mini npm start", "gpt-5-mini"],
  ['"start": "MODEL=gpt-5-mini node app.js"', "gpt-5-mini"],
  ["llm --model gpt-4-turbo 'Hello'", "gpt-4-turbo"],
  ["llm --model=o1 'Hello'", "o1"],
  ["run --llm gpt-4-turbo --fast", "gpt-4-turbo"],
  ["MODEL=$" + "{MODEL:-o3-mini}", "o3-mini"],
  ["// See https://platform.openai.com/docs/models/gpt-4-turbo", ""],
  ["f(size=o1); run --size o1; const a=o1;", ""],
  ['import logo from "./gpt-4o/logo";', ""],
  ["# Not gpt-4-turbo, nor --model.", ""],
])("finds a model within a text: %s", async (text, expected) => {
  const file = join(root, "inside.sh");
  await writeFile(file, `\n${text}\n`);
  const isModel = (name: string) => bundledModels(new Date()).names.find(name) !== undefined;
  const found = readCode(file, new Set(), isModel).names.map(({ name, line }) => `${name} ${line}`);
  expect(found).toEqual(expected === "" ? [] : [`${expected} 2`]);
});

it("finds a recorded name that begins with a sign", async () => {
  const file = join(root, "workers.ts");
  const name = "@cf/meta/llama-3.1-8b-instruct";
  await writeFile(file, `run("${name}");`);
  expect(readCode(file, new Set([name]), () => false).names).toEqual([{ name, file, line: 1 }]);
});

it("reads no tapes and no files that Git ignores, except .env files and a folder that is named", async () => {
  const folder = join(root, "ignoring");
  const text = 'model: "gpt-4"\n';
  for (const file of [
    "a.ts",
    "new/b.ts",
    "coverage/a.ts.html",
    "new/b.log",
    ".env",
    "keys/.env",
    "logs/a.log",
    ".github/a.yml",
  ])
    await writeIn(folder, file, text);
  await writeIn(folder, ".gitignore", "coverage\n*.log\n.env\n");
  await writeTape(join(folder, "tapes/a"), "gpt-4", "gpt-4");
  await writeIn(folder, "tapedeck.config.json", '{ "keep_models": [{ "model": "gpt-4", "reason": "a" }] }');
  execFileSync("git", ["init", "-q"], { cwd: folder });
  const filesOf = async (path: string) => {
    const [{ code }] = JSON.parse((await audit(["--code", path, "--json"])).stdout).models.filter(
      ({ id }: { id: string }) => id === "gpt-4",
    );
    return code.map(({ file }: { file: string }) => relative(folder, file)).sort();
  };
  expect(await filesOf(folder)).toEqual([".env", ".github/a.yml", "a.ts", "keys/.env", "new/b.ts"]);
  expect(await filesOf(join(folder, "coverage"))).toEqual(["coverage/a.ts.html"]);
});

it("finds the places in code of a name that tapes have and no catalogue", async () => {
  const folder = join(root, "house");
  await writeTape(join(folder, "tapes/hums"), "own.test.ts > hums", "house-model");
  await writeFile(join(folder, "own.ts"), 'const model = "house-model";\nconst other = "garden-model";\n');
  const { stdout } = await audit(["--tapes", join(folder, "tapes"), "--code", join(folder, "own.ts")]);
  expect(stdout.split("\n")).toEqual([
    "1 model is not known. Source files that were read: 1.",
    "",
    "  house-model  not known  1 recording in 1 test, 1 place in code",
    "    own.test.ts (1 test)",
    `    ${join(folder, "own.ts")}:1`,
    "",
  ]);
});

it("fails if a model has ended only when it was asked to, and writes the summary of a job", async () => {
  expect((await audit([])).code).toBe(0);
  const summary = join(root, "summary.md");
  const { code, stdout, stderr } = await audit(["--fail-within", "30d", "--format", "github"], {
    GITHUB_STEP_SUMMARY: summary,
  });
  expect([code, stderr.includes("1 finding within 30 days.")]).toEqual([1, true]);
  expect((await audit(["--fail-within", "1d"])).stderr).toContain("1 finding within 1 day.\n");
  expect(stdout).toMatch(/^::error file=.*001\.cassette\.json,title=Model::anthropic claude-2\.0/m);
  expect(await readFile(summary, "utf8")).toContain("| anthropic claude-2.0 | ended 2025-07-21 |");
});

it("does not fail for models that the configuration keeps, until the day of the exception", async () => {
  const folder = join(root, "keeping");
  await writeTape(join(folder, "tapes/a"), "old.test.ts > asks", "claude-2.0");
  await writeIn(folder, "src/legacy/a.ts", 'model = "gpt-4-0314"; get("o1");\n');
  await writeIn(folder, "src/new.ts", 'model = "gpt-4-0314";\n');
  const auditWith = async (...exceptions: object[]) => {
    const keep_models = exceptions.map((each) => ({ reason: "A/B test", ...each }));
    await writeIn(folder, "tapedeck.config.json", JSON.stringify({ keep_models }));
    return runCommand(["audit", "--code", "src", "--fail-within", "1d", "--format", "github"], { cwd: folder });
  };
  const [claude, o1] = [{ model: "Claude-2.0", in: "old.test.ts", until: "2999-01-31" }, { model: "o1" }];
  const legacy = { model: "gpt-4-0314", in: "src/legacy/*" };
  const failing = async (...exceptions: object[]) => {
    const { code, stdout, stderr } = await auditWith(...exceptions);
    return [
      code,
      ...[...stdout.matchAll(/^::error .*::\w+ (\S+)/gm)].map(([, id]) => id),
      ...stderr.split("\n").filter((line) => line.startsWith("keep")),
    ];
  };
  expect(await failing(claude, o1, legacy)).toEqual([1, "gpt-4-0314"]);
  expect(await failing(claude, o1, legacy, { model: "gpt-4-0314", in: "src/n*" })).toEqual([0]);
  const { stdout } = await auditWith(claude, o1, { ...legacy, until: "2020-01-31" });
  expect(stdout).toMatch(/^3 models have ended\. 2 of them are kept\. /);
  expect(stdout).toContain("\n    kept in old.test.ts until 2999-01-31: A/B test\n");
  expect(stdout).toContain(
    "\n    no longer kept in src/legacy/* until 2020-01-31, the exception has expired: A/B test\n",
  );
  expect(await failing(claude, o1, { model: "gpt-4-0314", until: "2020-01-31" })).toContain("gpt-4-0314");
  expect(await failing(claude, o1, { ...legacy, in: "legacy" })).toContain(
    "keep_models: gpt-4-0314 in legacy was not found.",
  );
  expect(await auditWith({ model: "o1", til: "2999-01-01" })).toMatchObject({ code: 1 });
});

it("uses the catalogue of a server, and says what is wrong with one", async () => {
  let answer: unknown = { read: "2026-12-01", count: 0, models: [] };
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/api/v1/models" ? 200 : 404;
    response.end(JSON.stringify(answer));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { stdout } = await audit(["--server", url, "--json"]);
  const { catalogue, models } = JSON.parse(stdout);
  expect([catalogue.read, models[0].status]).toEqual(["2026-12-01", "unknown"]);
  answer = { models: 7 };
  expect(await audit(["--server", url])).toMatchObject({ code: 3, stderr: expect.stringContaining("without a list") });
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  expect(await audit(["--server", url])).toMatchObject({ code: 3, stderr: expect.stringContaining("does not answer") });
  expect(await audit(["--server", "here"])).toMatchObject({ code: 2 });
});

it("fails if the server does not know the key or cannot list the subscriptions, and refuses what is no key or URL", async () => {
  const statuses: Record<string, number> = { "/api/v1/keys": 401 };
  const server = createServer((request, response) => {
    const isCatalogue = request.url === "/api/v1/models";
    response.statusCode = isCatalogue ? 200 : (statuses[request.url ?? ""] ?? 403);
    response.end(isCatalogue ? JSON.stringify({ read: "2026-12-01", count: 0, models: [] }) : "<html>");
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const withKey = async (given: string[] = [], key = "ltf_a") => {
    const { code, stderr } = await audit(["--server", url, ...given], { TAPEDECK_KEY: key });
    return `${code} ${stderr}`;
  };
  expect(await withKey()).toContain(`3 ${url} does not accept the key in TAPEDECK_KEY.`);
  statuses["/api/v1/keys"] = 503;
  expect(await withKey()).toContain(`3 ${url}/api/v1/keys answered 503.`);
  statuses["/api/v1/keys"] = 200;
  expect(await withKey()).toBe("0 ");
  for (const status of [429, 503, 200]) {
    statuses["/api/v1/digests"] = status;
    expect(await withKey(["--subscribe", "a"])).toContain(`3 ${url}/api/v1/digests answered ${status}`);
  }
  statuses["/api/v1/digests"] = 403;
  expect(await withKey(["--subscribe", "a"])).toContain("2 The key has no webhook or digest a.");
  expect(await withKey([], "ltf_…")).toContain("2 TAPEDECK_KEY has a character that no key has.");
  expect(await withKey(["--server", "ftp://x"])).toContain("2 --server ftp://x is not a URL with http:// or https://.");
  server.closeAllConnections();
  server.close();
});

it("refuses what does not exist, and other units of time", async () => {
  expect(await audit(["--code", join(root, "nothing")])).toMatchObject({ code: 2 });
  expect((await audit(["--fail-within", "30"])).stderr).toContain("within 30 days.");
  const { code, stderr } = await audit(["--fail-within", "2w"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("such as 30d")]);
});
