import { afterEach, expect, it, vi } from "vitest";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { type Json, type Protocol, protocols } from "#tests/support/conversation-protocols";
import { type Answer, streamOf } from "#tests/support/provider-double";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const test = "agent.test.ts > writes a file";
const tapes = setUpProxy();

type Run = { folder: string; home: string; day: string; words: string };
const recorded: Run = {
  folder: "/home/ann/app",
  home: "/home/ann",
  day: "2026-11-27",
  words: "Friday, November 27, 2026",
};
const later: Run = {
  folder: "/srv/build 7/copy",
  home: "/root",
  day: "2026-12-01",
  words: "Tuesday, December 1, 2026",
};

afterEach(() => vi.useRealTimers());

/** Starts a proxy as a run in a place on a day does. */
async function start(mode: "auto" | "replay", { folder, home, day }: Run): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(`${day}T12:00:00`) });
  await tapes.start(mode, {}, undefined, { folder, home });
}

const promptOf = ({ folder, home, day, words }: Run, more = "") =>
  [
    `<cwd>${folder}</cwd> Working directory: ${folder}.`,
    `Skills: ${home}/.codex/skills/x.md`,
    `Today is ${day}, ${words}.${more}`,
  ].join("\n");
const textOf = ({ folder, home }: Run) => `I write ${folder}/out.txt, not ${home}/app-old/out.txt or ${home}.`;
const answerOf = (protocol: Protocol, run: Run) =>
  protocol.answerOf(
    {
      text: textOf(run),
      calls: [{ id: `${protocol.callIds}_1`, name: "write", input: { path: `${run.folder}/out.txt` } }],
    },
    "r1",
  );
const secondOf = (protocol: Protocol, run: Run) =>
  protocol.continue(protocol.requestOf(promptOf(run)), answerOf(protocol, run), [
    { id: `${protocol.callIds}_1`, name: "write", output: `Wrote ${run.folder}/out.txt` },
  ]);

/** Streams an answer with few characters an event. */
function streamPieces({ provider, headers }: Protocol, body: Json): Answer {
  const split = (text: string) => text.match(/[\s\S]{1,5}/g) ?? [];
  const { contentType, events } = provider.unfold(body, split);
  return streamOf(Buffer.from(events.join("")), {
    chunkBytes: 60,
    headers: { "content-type": contentType, ...headers },
  });
}

/** Returns the parts of a streamed answer, as clients put them together. */
function partsOf({ provider }: Protocol, { headers, text }: { headers: Record<string, string>; text: string }) {
  const chunks = [{ deltaMs: 0, bytes: Buffer.from(text) }];
  return readRecordedAnswer(provider, { headers, chunks }).answer?.parts;
}

it.each(Object.entries(protocols))(
  "an agent's session over %s replays in another folder, home and day, and its answers name that folder",
  async (_name, protocol) => {
    await tapes.serve(
      streamPieces(protocol, answerOf(protocol, recorded)),
      streamAnswer(protocol, protocol.answerOf({ text: "Done.", calls: [] }, "r2")),
    );
    await start("auto", recorded);
    for (const body of [protocol.requestOf(promptOf(recorded)), secondOf(protocol, recorded)])
      await tapes.send(protocol, test, body);

    await start("replay", later);
    const moved = await tapes.send(protocol, test, protocol.requestOf(promptOf(later)));
    const { parts } = protocol.provider.readAnswer(answerOf(protocol, later));
    expect(partsOf(protocol, moved)).toEqual(parts);
    expect(moved.text).not.toContain(recorded.home);
    const second = await tapes.send(protocol, test, secondOf(protocol, later));
    expect(second.text).toContain("Done.");
    expect(await tapes.proxy.end(test)).toMatchObject({ played: 2, misses: [] });
  },
);

const [plain, worker] = ["/tmp/pytest-of-root/pytest-33", "/tmp/pytest-of-root/pytest-34/popen-gw1"];
const [scratch, inTmp] = ["/data/scratch/pytest-of-me/pytest-1", "/tmp/mine/a b/pytest-of-me/pytest-1"];
/** Folders for temporary files that are none of the usual ones. */
const temporaries = new Map([scratch, inTmp].map((path) => [path, path.replace(/\/pytest.*/, "")]));

it.each([
  ["of another run", plain, "/tmp/pytest-of-root/pytest-34"],
  ["of a worker of pytest-xdist", plain, worker],
  ["of no worker of pytest-xdist", worker, plain],
  ["below another TMPDIR", plain, scratch],
  ["below no other TMPDIR", scratch, plain],
  ["below a TMPDIR in a usual one", plain, inTmp],
])("a prompt with a temporary path %s matches, and the answer names that of this run", async (_what, was, is) => {
  const { chat } = protocols;
  const input = (path: string) => ({ path: `${path}/test_a0/config.txt` });
  const answer = (path: string) =>
    chat.answerOf(
      { text: `I write ${path}/b.txt.`, calls: [{ id: "call_1", name: "write", input: input(path) }] },
      "r",
    );
  const begin = (mode: "auto" | "replay", path: string) =>
    tapes.start(mode, {}, undefined, { ...recorded, temporary: temporaries.get(path) });
  const ask = (path: string) => tapes.send(chat, test, chat.requestOf(`PATH:${path}/test_a0/config.txt: append`));
  await tapes.serve(streamPieces(chat, answer(was)));
  await begin("auto", was);
  await ask(was);
  await begin("replay", is);
  const moved = await ask(is);
  expect(moved.status).toBe(200);
  expect(partsOf(chat, moved)).toEqual(chat.provider.readAnswer(answer(is)).parts);
});

it("a request for another folder below the project, or another day, is a miss", async () => {
  const { chat } = protocols;
  await tapes.serve(streamAnswer(chat, answerOf(chat, recorded)));
  await start("auto", recorded);
  await tapes.send(chat, test, chat.requestOf(promptOf(recorded)));
  await start("replay", later);
  for (const other of [
    { ...later, folder: `${later.folder}/web` },
    { ...later, day: "2026-12-02" },
  ])
    expect((await tapes.send(chat, test, chat.requestOf(promptOf(other)))).status).toBe(424);
  const { text } = await tapes.send(chat, test, chat.requestOf(promptOf(later, " Hurry.")));
  expect(text).toContain("Hurry.");
  expect(text).not.toContain(recorded.folder);
});

it("what the recording names stays where the request names it, too", async () => {
  const { chat } = protocols;
  await tapes.serve(streamAnswer(chat, answerOf(chat, recorded)));
  await start("auto", recorded);
  const first = await tapes.send(chat, test, chat.requestOf(promptOf(recorded)));
  await start("replay", later);
  expect((await tapes.send(chat, test, chat.requestOf(promptOf(recorded)))).text).toBe(first.text);
});

it("a miss says so where the prompt lists the tapes", async () => {
  const { gemini } = protocols;
  const ask = async (...names: string[]) =>
    (await tapes.send(gemini, test, gemini.requestOf(`The folder:\n${names.join("\n")}\nWhat is in it?`))).text;
  await tapes.serve(streamAnswer(gemini, answerOf(gemini, recorded)));
  await start("auto", recorded);
  await ask("├───src/", "└───notes.txt");
  await start("replay", later);
  const hint = `This prompt lists the tapes: put \\"tapes\\" of tapedeck.config.json outside of ${later.folder}`;
  expect(await ask("├───src/", "├───tapes/", "└───notes.txt")).toContain(hint);
  expect(await ask("├───src/", "├───mixtapes/", "└───tapes.txt")).not.toContain("lists the tapes");
});
