import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { protocols } from "#tests/support/conversation-protocols";
import { type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** Asks a model in each test, and ends the test as a fixture does: `name=model`, with `!` if the test fails. */
const program = `
const { TAPEDECK_PROXY: proxy, TAPEDECK_TOKEN: token } = process.env;
for (const each of process.argv.slice(2)) {
  const [, name, model, fails] = /^(.*)=(.*?)(!?)$/.exec(each);
  const url = proxy + "/t/" + name;
  const post = (path, body) => fetch(url + path, { method: "POST", headers: { "x-tapedeck-token": token }, body: JSON.stringify(body) });
  await post("/__tapedeck/begin", {});
  const messages = [{ role: "user", content: "Hello from " + name }];
  const { status } = await post("/openai/v1/chat/completions", { model, messages });
  if (status >= 400) process.exitCode = 1;
  await post("/__tapedeck/end", { passed: status < 400 && !fails });
}
`;

let folder: string;
let server: ProviderDouble;

beforeEach(async () => {
  folder = temporaryFolder();
  await writeFile(join(folder, "ask.mjs"), program);
  server = await startProvider((response, { body }) => {
    const { model } = JSON.parse(body);
    if (model === "gone") {
      response.writeHead(404, { "content-type": "application/json" });
      return void response.end('{"error":{"message":"The model does not exist","type":"invalid_request_error"}}');
    }
    const answer = protocols.chat.answerOf({ text: `I am ${model}, call ${server.requests.length}.`, calls: [] }, "a1");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...answer, usage: { prompt_tokens: 1_000, completion_tokens: 100 } }));
  });
});

const run = (flags: readonly string[], tests: readonly string[]) =>
  runCommand(["run", ...flags, "--", "node", "ask.mjs", ...tests], {
    cwd: folder,
    environment: { CI: undefined, OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_API_KEY: undefined },
  });
const affected = ["--mode", "record", "--affected"];
const textOf = (test: string) => readFile(join(folder, `tapes/${test}/001.cassette.json`), "utf8");
const sent = () => server.requests.map(({ body }) => JSON.parse(body).model);

it("records the tapes of models again that have ended, plays the others, and lists old and new answers", async () => {
  await run([], ["ended=o1", "house=house-model"]);
  const house = await textOf("house");
  const { code, stdout, stderr } = await run(affected, ["ended=gpt-5.4", "house=house-model"]);
  expect({ code, sent: sent() }).toEqual({ code: 0, sent: ["o1", "house-model", "gpt-5.4"] });
  expect(stderr).toContain("tapedeck: 1 played, 1 recorded, 0 missed, 0 unused");
  expect(stdout).toMatch(/^tapedeck: 1 tape of 1 recorded again, cost \$[\d.]+ → \$[\d.]+\nended\n/);
  expect(stdout).toContain("  001.cassette.json  o1 → gpt-5.4\n");
  expect(stdout).toContain("    old  I am o1, call 1.  1,000 tokens in, 100 out, $0.021\n");
  expect(stdout).toContain("    new  I am gpt-5.4, call 3.  1,000 tokens in, 100 out, $");
  expect(await textOf("house")).toBe(house);
  expect(await textOf("ended")).toContain("gpt-5.4");
});

it("records those that --model names, and keeps the tapes of tests that fail", async () => {
  await run([], ["one=house-model", "two=house-model", "three=other-model"]);
  const [one, two] = [await textOf("one"), await textOf("two")];
  const again = [...affected, "--model", "house-model"];
  const { code, stdout, stderr } = await run(again, ["one=gone", "two=new-model!", "three=other-model"]);
  expect({ code, sent: sent().slice(3) }).toEqual({ code: 1, sent: ["gone", "new-model"] });
  expect(stderr).toContain("two: The test failed, so its old tape stays.");
  expect(stdout).toContain("0 tapes of 2 recorded again");
  expect([await textOf("one"), await textOf("two")]).toEqual([one, two]);
  const kept = await run([...again, "--keep-failed"], ["one=house-model", "two=new-model!", "three=other-model"]);
  expect(kept.stdout).toContain("2 tapes of 2 recorded again");
  expect(kept.stdout).toContain("001.cassette.json  house-model → new-model\n");
  expect(await textOf("two")).toContain("new-model");
});

it("fails if a test whose tape is played asks for something else, and does not send it", async () => {
  await run([], ["ended=o1", "house=house-model"]);
  const { code, stderr } = await run(affected, ["ended=o1", "house=changed-model"]);
  expect({ code, sent: sent().slice(2) }).toEqual({ code: 1, sent: ["o1"] });
  expect(stderr).toContain('"house": no recording of POST ');
});

it("runs nothing if no tape is affected, and needs the mode record", async () => {
  await run([], ["house=house-model"]);
  const { code, stderr } = await run(affected, ["house=changed-model"]);
  expect({ code, count: server.requests.length }).toEqual({ code: 0, count: 1 });
  expect(stderr).toContain("nothing was run");
  expect(await run(["--affected"], ["house=house-model"])).toMatchObject({ code: 2 });
  expect(await run(["--mode", "record", "--model", "x"], ["house=house-model"])).toMatchObject({ code: 2 });
});

it("fails before the command runs if --model names a model that no tape uses, and lists those that they use", async () => {
  await run([], ["ended=o1", "house=house-model"]);
  const named = [...affected, "--model", "house-model", "--model", "nosuch"];
  const { code, stderr } = await run(named, ["ended=o1", "house=house-model"]);
  expect({ code, stderr, count: server.requests.length }).toEqual({
    code: 1,
    stderr: "No tape uses nosuch, so nothing was run. The tapes use o1, house-model.\n",
    count: 2,
  });
});
