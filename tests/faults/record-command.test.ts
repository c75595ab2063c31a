import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  messageEvents,
  type ProviderDouble,
  sseOf,
  stallAfter,
  startProvider,
  streamOf,
} from "#tests/support/provider-double";
import { setUpRecorder } from "#tests/support/recorder";
import { runCli, runCommand, startCli } from "#tests/support/run-cli";

const events = messageEvents(["Hello ", "there."]);
const body = sseOf(...events);
const half = sseOf(...events.slice(0, 4));
const environment = { ANTHROPIC_API_KEY: "sk-ant-api03-Key0000Key1111Key2222Key3333Key4444-AA", LOG_LEVEL: "warn" };

const recorder = setUpRecorder();
let provider: ProviderDouble;

function argsOf(...added: string[]): string[] {
  const destination = ["--base-url", provider.origin, "--out", recorder.folder];
  return ["record", "legal/a", ...destination, "--model", "claude-test-1", ...added];
}

test("the response is streamed to standard output, the summary goes to standard error", async () => {
  provider = await startProvider(streamOf(body, { chunkBytes: 60 }));
  const { code, stdout, stderr } = await runCli(argsOf("--prompt", "Well?"), { environment });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello there.\n" });
  expect(stderr).toMatch(
    /^Recorded legal\/a: \d+ chunks, .* first token after \d+ ms, 0 secrets removed\. Written to .*a\.json\n$/,
  );
  expect((await recorder.cassette()).cassette.title).toBe("A");
});

test("a prompt file's front matter sets fields of the request and the title", async () => {
  provider = await startProvider(streamOf(body));
  const file = join(recorder.folder, "prompt.md");
  await writeFile(
    file,
    "---\ntitle: Of notice\nsystem: Be brief.\nmax_tokens: 77\ntemperature: 0\n---\n# How long?\n\nSay it.\n",
  );
  const { code, stdout } = await runCommand(argsOf("--prompt-file", file, "--json"), { environment });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: "legal/a", end: "complete", redactionCount: 0 });
  expect(JSON.parse(provider.requests[0]?.body ?? "")).toEqual({
    model: "claude-test-1",
    system: "Be brief.",
    max_tokens: 77,
    temperature: 0,
    messages: [{ role: "user", content: "# How long?\n\nSay it." }],
    stream: true,
  });
  expect((await recorder.cassette()).cassette.title).toBe("Of notice");
});

test.each([
  [["record", "nowhere", "--prompt", "x"], /must be <folder>\/<slug>/],
  [["record", "legal/a", "--model", "m"], /there is no prompt/],
  [["record", "legal/a", "--prompt", "x"], /there is no model/],
  [["record", "legal/a", "--prompt", "x", "--model", "m"], /ANTHROPIC_API_KEY is not set/],
  [["record", "legal/a", "--model", "m", "--prompt-file", "/no/such/file"], /there is no such file/],
  [["cassettes", "import", "x.sse"], /--id/],
  [["cassettes", "push"], /BLOB_READ_WRITE_TOKEN is not set/],
])("incorrect usage exits with code 2 and a clear message: %j", async (given, message) => {
  const unset = { ANTHROPIC_API_KEY: undefined, BLOB_READ_WRITE_TOKEN: undefined, ANTHROPIC_BASE_URL: undefined };
  const { code, stderr } = await runCommand(given, { environment: unset });
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each([
  ["SIGKILL", "SIGKILL"],
  ["SIGINT", 130],
  ["SIGTERM", 130],
] as const)("a recording interrupted by %s leaves no file", async (signal, expected) => {
  provider = await startProvider(stallAfter(half));
  const run = startCli(argsOf("--prompt", "Well?", "--allow-error"), { environment });
  await expect.poll(run.stdout).toContain("Hello ");
  run.process.kill(signal);
  expect(await run.ended).toBe(expected);
  expect(await recorder.files()).toEqual([]);
  if (signal !== "SIGKILL") expect(run.stderr()).toMatch(/interrupted\. Nothing was written/);
});
