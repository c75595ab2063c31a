import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { writeLastRun } from "#lib/replay/recording-proxy/index";
import { emptyReport } from "#lib/replay/recording-proxy/report";
import { type Json, protocols, question } from "#tests/support/conversation-protocols";
import type { Answer } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { streamAnswer, turnAnswers, turnRequests } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const protocol = protocols.chat;
const tapes = setUpProxy();
const pathOf = (path: string) => join(tapes.folder, "tapes", path);
const tapedeck = (...args: string[]) => runCommand(args, { cwd: tapes.folder });
const filesBelow = async (path: string) =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1))
    .sort();
const send = (test: string, prompt = question) => tapes.send(protocol, test, protocol.requestOf(prompt));
const marker = async (test: string, prompt?: string) => (await send(test, prompt)).headers["x-tapedeck"];

beforeEach(async () => {
  await tapes.serve(streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1")));
});

async function record(...tests: string[]): Promise<void> {
  await tapes.start("auto");
  for (const test of tests) expect(await marker(test)).toBe("recorded");
}

/** Remembers a run that used no recording of these tapes. */
async function forget(...found: { test: string; folder: string; unused: string[] }[]): Promise<void> {
  const counts = { requests: 1, played: 1 };
  const reports = found.map((each) => ({ ...emptyReport(each.test, each.folder), ...counts, ...each }));
  await writeLastRun(tapes.folder, { hasPassed: true, reports });
}

const first = "001.cassette.json";
const [outer, inner] = ["tests", "tests/a.test.ts > one"];

describe("a tape in whose folder another one lies, of an earlier version,", () => {
  const innerFiles = ["a-test-ts/one/001.cassette.json", "a-test-ts/one/tape.json"];

  beforeEach(async () => {
    await record(inner, outer);
    for (const file of [first, "tape.json"]) await rename(pathOf(`tests.tape/${file}`), pathOf(`tests/${file}`));
    await rm(pathOf("tests.tape"), { recursive: true });
    await writeFile(pathOf("tests/notes.txt"), "Ours.");
  });

  it("is read, and recorded again, without the other one", async () => {
    const before = await readFile(pathOf(`tests/${innerFiles[0]}`), "utf8");
    await tapes.start("replay");
    expect([await marker(outer), await marker(inner)]).toEqual(["played", "played"]);
    const proxy = await tapes.start("record");
    for (const prompt of ["A", "B"]) await send(outer, prompt);
    await proxy.end(outer);
    expect(await filesBelow(pathOf(""))).toEqual(
      [first, "002.cassette.json", ...innerFiles, "notes.txt", "tape.json"].map((file) => `tests/${file}`),
    );
    expect(await readFile(pathOf(`tests/${innerFiles[0]}`), "utf8")).toBe(before);
    await tapes.start("replay");
    expect([await marker(outer, "B"), await marker(inner)]).toEqual(["played", "played"]);
  });

  it("is pruned without the other one; until --force, its recordings are only named", async () => {
    await forget({ test: outer, folder: pathOf("tests"), unused: [first] });
    const all = await filesBelow(pathOf(""));
    const listed = `unused  tests: ${first}\nNothing was removed. To remove what is listed: npm run -s tapedeck -- prune --force\n`;
    expect(await tapedeck("prune")).toEqual({ code: 0, stdout: listed, stderr: "" });
    expect(await filesBelow(pathOf(""))).toEqual(all);
    expect((await tapedeck("prune", "--force")).stdout).toBe(`removed  tests: ${first}\n`);
    expect(await filesBelow(pathOf("tests"))).toEqual([...innerFiles, "notes.txt"]);
    await tapes.start("replay");
    expect(await marker(inner)).toBe("played");
  });
});

it.each([
  ["the outer one", [outer, inner], ["tests", "tests-a-test-ts-one-c91096.tape"]],
  ["the inner one", [inner, outer], ["tests/a-test-ts/one", "tests.tape"]],
])("a tape whose name would nest gets a folder of its own: %s is first", async (_name, order, folders) => {
  await record(...order);
  const files = folders.flatMap((folder) => [`${folder}/${first}`, `${folder}/tape.json`]);
  expect(await filesBelow(pathOf(""))).toEqual(files.sort());
  await tapes.start("replay");
  for (const test of order.toReversed()) expect(await marker(test)).toBe("played");
});

describe("replacing a tape", () => {
  it("that a killed run began is ended: the new tape is complete, and the old one has gone", async () => {
    await record("packs", "other");
    // The run was killed after one of two files had moved.
    await send("other", "B");
    await rename(pathOf("other"), pathOf("packs.ready"));
    const list = await readFile(pathOf("packs.ready/tape.json"), "utf8");
    await writeFile(pathOf("packs.ready/tape.json"), list.replace('"other"', '"packs"'));
    await writeFile(pathOf("packs.ready/owner-4194305"), "");
    await rename(pathOf(`packs.ready/${first}`), pathOf(`packs/${first}`));
    await cp(pathOf(`packs/${first}`), pathOf("packs/003.cassette.json"));
    // That of a run that was killed before its tape was complete.
    await cp(pathOf("packs.ready"), pathOf("packs.new-4194305"), { recursive: true });
    const proxy = await tapes.start("replay");
    expect([await marker("packs"), await marker("packs", "B"), await marker("packs")]).toEqual([
      "played",
      "played",
      "error",
    ]);
    await proxy.end("packs");
    expect(await readdir(pathOf("packs"))).toEqual([first, "002.cassette.json", "tape.json"]);
    expect(await readdir(pathOf(""))).toEqual(["packs"]);
  });
});

describe("what a killed run left of a new tape", () => {
  const { pid: deadPid } = spawnSync(process.execPath, ["--version"]);
  const [left, ours] = [`packs.new-${deadPid}`, `packs.new-${process.pid}`];

  beforeEach(async () => {
    await record("packs");
    for (const name of [left, ours]) await cp(pathOf("packs"), pathOf(name), { recursive: true });
    await mkdir(pathOf("sub"));
    await rename(pathOf(left), pathOf(`sub/${left}`));
    await cp(pathOf(`sub/${left}`), pathOf(left), { recursive: true });
  });

  it("is removed by the next run of a test beside it, without files that are not of a tape", async () => {
    await mkdir(pathOf(`${left}/nested`));
    await writeFile(pathOf(`${left}/nested/${first}`), "Ours.");
    await writeFile(pathOf(`${left}/notes.txt`), "Ours.");
    await tapes.start("replay");
    expect(await marker("packs")).toBe("played");
    expect(await filesBelow(pathOf(left))).toEqual([`nested/${first}`, "notes.txt"]);
    expect(await filesBelow(pathOf(ours))).toEqual([first, "tape.json"]);
  });

  it("is listed by prune, and removed with --force, in every folder", async () => {
    await forget();
    const listed = `unfinished  ${pathOf(left)}\nunfinished  ${pathOf(`sub/${left}`)}\nNothing was removed. `;
    expect((await tapedeck("prune")).stdout).toContain(listed);
    expect(await readdir(pathOf(left))).toEqual([first, "tape.json"]);
    expect((await tapedeck("prune", "--force")).stdout).toBe(
      `removed  ${pathOf(left)}\nremoved  ${pathOf(`sub/${left}`)}\n`,
    );
    expect((await readdir(pathOf(""))).sort()).toEqual(["packs", ours, "sub"]);
  });
});

describe("prune of a conversation", () => {
  const [firstTurn = {}, secondTurn = {}] = turnRequests(protocol);
  const [callTools, answerTwo] = turnAnswers(protocol).map((answer) => streamAnswer(protocol, answer));
  const sendTurn = async (body: Json) => (await tapes.send(protocol, "packs", body)).headers["x-tapedeck"];
  const parents = async () =>
    JSON.parse(await readFile(pathOf("packs/tape.json"), "utf8")).exchanges.map((one: Json) => one.parent);
  const recordTurns = async (answers: readonly (Answer | undefined)[], ...bodies: Json[]) => {
    await tapes.serve(...answers.filter((answer) => answer !== undefined));
    await tapes.start("auto");
    for (const body of bodies) await sendTurn(body);
    await tapes.proxy.stop();
  };

  it("whose turns were recorded anew removes the old ones, which the new ones do not continue", async () => {
    await recordTurns([callTools, answerTwo], firstTurn, secondTurn);
    const changed = [firstTurn, secondTurn].map((body) => ({ ...body, seed: 7 }));
    await recordTurns([callTools, answerTwo], ...changed);
    expect(await parents()).toEqual([null, first, null, "003.cassette.json"]);
    await forget({ test: "packs", folder: pathOf("packs"), unused: [first, "002.cassette.json"] });
    await tapedeck("prune", "--force");
    const proxy = await tapes.start("replay");
    for (const body of changed) expect(await sendTurn(body)).toBe("played");
    expect(await proxy.stop()).toMatchObject([{ played: 2, unused: [] }]);
  });

  it("removes a turn that one in use continues, which is stored whole then", async () => {
    await recordTurns([callTools, answerTwo], firstTurn, secondTurn);
    await forget({ test: "packs", folder: pathOf("packs"), unused: [first] });
    expect((await tapedeck("prune", "--force")).stdout).toBe(`removed  packs: ${first}\n`);
    expect([await filesBelow(pathOf("packs")), await parents()]).toEqual([["002.cassette.json", "tape.json"], [null]]);
    await tapes.start("replay");
    expect(await sendTurn(secondTurn)).toBe("played");
  });

  it("with --errors removes all errors that were retried, of each turn", async () => {
    const fail: Answer = (response) =>
      void response.writeHead(529, { "content-type": "application/json" }).end('{"error":{"message":"Busy."}}');
    const bodies = [firstTurn, firstTurn, secondTurn, secondTurn];
    await recordTurns([fail, callTools, fail, answerTwo], ...bodies);
    expect(await parents()).toEqual([null, null, "002.cassette.json", "002.cassette.json"]);
    expect((await tapedeck("prune", "--errors", "--force")).stdout).toBe(
      `removed  packs: ${first}\nremoved  packs: 003.cassette.json\n`,
    );
    await tapes.start("replay");
    for (const body of [firstTurn, secondTurn]) expect(await sendTurn(body)).toBe("played");
  });
});

describe("prune with a report of a run that names", () => {
  /** A tape outside of the tapes folder that nobody may remove. */
  const outside = () => join(tapes.folder, "outside/packs");

  beforeEach(async () => {
    await record("packs");
    await cp(pathOf("packs"), outside(), { recursive: true });
  });

  it.each<[string, () => string]>([
    ["an absolute path", outside],
    ["a path with ..", () => "tapes/../outside/packs"],
    ["the folder above", () => pathOf("..")],
    ["a link that leads out", () => pathOf("linked")],
    ["a folder below such a link", () => pathOf("linked/packs")],
  ])("%s removes nothing at all, and says why", async (_name, folderOf) => {
    await symlink(folderOf() === pathOf("linked") ? outside() : join(outside(), ".."), pathOf("linked"));
    const before = await filesBelow(tapes.folder);
    await forget(
      { test: "packs", folder: pathOf("packs"), unused: [first] },
      { test: "packs", folder: folderOf(), unused: [first] },
    );
    const { code, stderr } = await tapedeck("prune", "--force");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/is outside of the folder .*\/tapes/) });
    expect((await filesBelow(tapes.folder)).filter((file) => !file.startsWith(".tapedeck"))).toEqual(before);
  });

  it.each([
    ["{", /last-run\.json:1 is not valid JSON/],
    ['{"reports":[]}', /last-run\.json is not a report of a run: hasPassed/],
    ['{"hasPassed":true,"reports":[{"test":"packs"}]}', /is not a report of a run: reports\.0/],
  ])("%s is refused", async (text, message) => {
    await forget();
    await writeFile(join(tapes.folder, ".tapedeck/last-run.json"), text);
    for (const command of ["prune", "why"])
      expect(await tapedeck(command)).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  });

  it("of another version is read without the fields that are not known", async () => {
    await forget({ test: "packs", folder: pathOf("packs"), unused: [first] });
    const path = join(tapes.folder, ".tapedeck/last-run.json");
    const { reports, ...run } = JSON.parse(await readFile(path, "utf8"));
    const other = { test: "old", folder: pathOf("old") };
    const miss = { test: "packs", request: "POST /", reason: "No recording has this request", nearest: null, other };
    const again = [{ file: first, parts: [{ before: "1", after: "2" }], expressions: ["\\d"] }];
    const old = { ...run, isNew: true, reports: [{ ...reports[0], misses: [miss], again, other }] };
    await writeFile(path, JSON.stringify(old));
    expect(await tapedeck("why")).toMatchObject({ code: 0, stdout: expect.stringContaining('request of "packs"') });
    expect(await tapedeck("prune")).toMatchObject({ code: 0, stdout: expect.stringContaining(`packs: ${first}`) });
  });

  it("files of other folders is refused, there and in the list of a tape", async () => {
    const file = "../../outside/packs/001.cassette.json";
    await forget({ test: "packs", folder: pathOf("packs"), unused: [file] });
    expect((await tapedeck("prune", "--force")).stderr).toMatch(
      /reports\.0\.unused\.0: must be the name of a recording/,
    );
    const list = await readFile(pathOf("packs/tape.json"), "utf8");
    await writeFile(pathOf("packs/tape.json"), list.replace(first, file));
    const proxy = await tapes.start("record");
    await send("packs", "B");
    await proxy.end("packs");
    expect(await readdir(outside())).toEqual([first, "tape.json"]);
  });
});

describe("a symbolic link that leads out of the tapes folder", () => {
  const outside = () => join(tapes.folder, "outside");
  const refusal = expect.stringMatching(/outside of the folder .*a symbolic link leads to .*\/outside/);

  beforeEach(async () => {
    await record("packs");
    await rename(pathOf("packs"), outside());
  });

  const links: Record<string, () => Promise<void>> = {
    "a folder": () => symlink(outside(), pathOf("packs")),
    "a folder that does not exist yet": () => symlink(join(outside(), "new"), pathOf("packs")),
    "a recording": async () => {
      await mkdir(pathOf("packs"));
      await symlink(join(outside(), first), pathOf(`packs/${first}`));
    },
    "a list": async () => {
      await mkdir(pathOf("packs"));
      await symlink(join(outside(), "tape.json"), pathOf("packs/tape.json"));
    },
  };

  it.each(Object.keys(links))("as %s is refused when reading and writing", async (name) => {
    await links[name]?.();
    const before = await filesBelow(outside());
    for (const mode of ["replay", "auto", "record"] as const) {
      await tapes.start(mode);
      const { status, text } = await send("packs", "B");
      expect([status, JSON.parse(text).error.message]).toEqual([500, refusal]);
    }
    expect(await filesBelow(outside())).toEqual(before);
    const shown = await tapedeck("show", "tapes/packs");
    if (!name.includes("not exist")) expect(shown).toMatchObject({ code: 1, stderr: refusal });
  });

  it("as the folder of a new tape is not written through", async () => {
    await symlink(outside(), pathOf(`packs.new-${process.pid}`));
    const before = await filesBelow(outside());
    const proxy = await tapes.start("record");
    await send("packs", "B");
    await proxy.end("packs").catch(() => undefined);
    expect(await filesBelow(outside())).toEqual(before);
  });

  it("as the folder or a file of the last run is not written through", async () => {
    await mkdir(join(tapes.folder, ".tapedeck"));
    await symlink(join(outside(), "tape.json"), join(tapes.folder, ".tapedeck/.gitignore"));
    const before = await readFile(join(outside(), "tape.json"), "utf8");
    await forget();
    expect(await readFile(join(outside(), "tape.json"), "utf8")).toBe(before);
    await rm(join(tapes.folder, ".tapedeck"), { recursive: true });
    await symlink(join(tapes.folder, "..", "elsewhere"), join(tapes.folder, ".tapedeck"));
    await expect(forget()).rejects.toThrow(/symbolic link leads to .*elsewhere/);
  });
});
