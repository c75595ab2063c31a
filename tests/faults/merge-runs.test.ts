import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { protocols } from "#tests/support/conversation-protocols";
import { runCommand } from "#tests/support/run-cli";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";
import { temporaryFolder } from "#tests/support/temporary-folder";

const { chat } = protocols;
const tapes = setUpProxy();

/** Records a question of each test. */
async function record(...names: string[]): Promise<void> {
  const answer = streamAnswer(chat, chat.answerOf({ text: "A coat.", calls: [] }, "r1"));
  await tapes.serve(...names.map(() => answer));
  await tapes.start("auto");
  for (const name of names) await tapes.send(chat, name, chat.requestOf(name));
  await tapes.proxy.stop();
}

/** Runs a program that asks as some tests, and keeps the report of the run. */
async function runPart(report: string, names: readonly string[], folder = tapes.folder) {
  const program = `const { TAPEDECK_PROXY: origin } = process.env;
    for (const [name, body] of ${JSON.stringify(names.map((name) => [name, { ...chat.requestOf(name), stream: true }]))})
      await fetch(origin + "/t/" + encodeURIComponent(name) + "/openai/v1/chat/completions", { method: "POST", body: JSON.stringify(body) });`;
  await writeFile(join(folder, "part.mjs"), program);
  const args = ["run", "--mode", "replay", "--report", join(tapes.folder, report), "--", "node", "part.mjs"];
  const environment = { CI: undefined, OPENAI_BASE_URL: tapes.server.origin };
  return runCommand(args, { cwd: folder, environment });
}

const merge = (...files: string[]) => runCommand(["merge-runs", ...files], { cwd: tapes.folder });

it("joins what the parts of a run used, also on other machines, and fails if none used a recording", async () => {
  await record("a.py > one", "b.py > two", "c.py > three");
  const elsewhere = temporaryFolder();
  await cp(join(tapes.folder, "tapes"), join(elsewhere, "tapes"), { recursive: true });
  expect((await runPart("runs/1.json", ["a.py > one"])).code).toBe(0);
  expect((await runPart("runs/2.json", ["b.py > two"], elsewhere)).code).toBe(0);
  expect((await runPart("runs/3.json", [])).code).toBe(0);
  const files = ["runs/1.json", "runs/2.json", "runs/3.json"];
  expect(await merge(...files)).toMatchObject({
    code: 1,
    stdout: "unused  c.py > three: 001.cassette.json\n",
    stderr: expect.stringContaining("Recordings that none of 3 runs used: 1. "),
  });
  // The runs are the last one, of everything.
  const pruned = await runCommand(["prune", "--all", "--force"], { cwd: tapes.folder });
  expect(pruned).toMatchObject({ code: 0, stdout: "removed  c.py > three: 001.cassette.json\n" });
  expect(await merge(...files)).toMatchObject({ code: 0, stdout: "Every recording was used by one of 3 runs.\n" });
});

it("refuses runs that failed or missed a recording, and files that are none", async () => {
  await record("a.py > one");
  expect((await runPart("1.json", ["a.py > one"])).code).toBe(0);
  expect((await runPart("2.json", ["a.py > new"])).code).toBe(1);
  expect(await merge("1.json", "2.json")).toMatchObject({
    code: 1,
    stderr: "These runs failed, missed a recording, were live or cached: 2.json.\n",
  });
  // What a run that is killed leaves, instead of the report of the one before it.
  await cp(join(tapes.folder, "1.json"), join(tapes.folder, "5.json"));
  await runCommand(["run", "--report", "5.json", "--", "cp", "5.json", "killed.json"], { cwd: tapes.folder });
  expect(await merge("killed.json")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("cached: killed.json."),
  });
  await writeFile(join(tapes.folder, "3.json"), "{}");
  expect(await merge("1.json", "3.json")).toMatchObject({ stderr: expect.stringContaining("3.json is not a report") });
  expect(await merge("4.json")).toMatchObject({ stderr: expect.stringContaining("4.json cannot be read: ENOENT") });
  expect(JSON.parse(await readFile(join(tapes.folder, "1.json"), "utf8"))).toMatchObject({ hasFailed: false });
});
