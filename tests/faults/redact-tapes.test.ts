import { copyFile, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, expect, it } from "vitest";
import { protocols, question } from "#tests/support/conversation-protocols";
import { runCommand } from "#tests/support/run-cli";
import { streamAnswer, turnAnswers, turnRequests } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const protocol = protocols.chat;
const tapes = setUpProxy();
const pathOf = (path: string) => join(tapes.folder, "tapes", path);
const tapedeck = (...args: string[]) => runCommand(args, { cwd: tapes.folder });
const send = (test: string, prompt = question) => tapes.send(protocol, test, protocol.requestOf(prompt));
const answers = (...texts: string[]) =>
  texts.map((each) => streamAnswer(protocol, protocol.answerOf({ text: each, calls: [] }, "a1")));
const first = "001.cassette.json";
const configure = () =>
  writeFile(join(tapes.folder, "tapedeck.config.json"), JSON.stringify({ redact: ["Jane Example"] }));

beforeEach(async () => {
  await tapes.serve(...answers("Sunscreen."));
});

/** Records the same request of a test several times. */
async function record(test: string, prompt: string, count = 1): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) expect((await send(test, prompt)).headers["x-tapedeck"]).toBe("recorded");
}

it("redact removes texts from recordings, whose requests match then; --dry-run only lists them", async () => {
  const prompt = "What does Jane Example pack?";
  await tapes.serve(...turnAnswers(protocol).map((answer) => streamAnswer(protocol, answer)));
  await tapes.start("auto");
  const turns = turnRequests(protocol, prompt);
  for (const body of turns) expect((await tapes.send(protocol, "named", body)).status).toBe(200);
  await record("other", question);
  await tapes.proxy.stop();
  const read = () => readFile(pathOf("other/001.cassette.json"), "utf8");
  const other = await read();
  await configure();
  const place = `named: ${first}: /messages/0/content: api-key\n`;
  const timesOf = () => Promise.all(["", "named"].map(async (path) => (await stat(pathOf(path))).mtimeMs));
  const times = await timesOf();
  const listed = await tapedeck("redact", "--dry-run");
  expect(await timesOf()).toEqual(times);
  expect(listed.stdout).toContain(`found  ${place}`);
  expect(await readFile(pathOf(`named/${first}`), "utf8")).toContain("Jane Example");
  expect((await tapedeck("redact")).stdout).toContain(`removed  ${place}`);
  for (const file of await readdir(pathOf("named")))
    expect(await readFile(pathOf(`named/${file}`), "utf8")).not.toContain("Jane");
  expect(await read()).toBe(other);
  expect(await tapedeck("redact")).toEqual({ code: 0, stdout: "No secret was found in 2 tapes.\n", stderr: "" });
  await tapes.start("replay");
  for (const body of turns) expect((await tapes.send(protocol, "named", body)).headers["x-tapedeck"]).toBe("played");
  // The other tape was looked at, and left as it is.
  expect((await readdir(pathOf(""))).sort()).toEqual(["named", "other"]);
});

it("redact names what looks like a secret, and leaves it", async () => {
  const random = ["q7Rk2", "mZ9xV", "b4Lp8", "Tn3Wd", "6hYc1"].join("");
  await tapes.start("auto", { allow: [random] });
  await send("one", `The token that our robot has (a new one) ${random}`);
  await tapes.proxy.stop();
  const { code, stdout, stderr } = await tapedeck("redact");
  expect([code, stdout]).toEqual([
    1,
    `suspicious  one: ${first}: /messages/0/content\nNo secret was found in 1 tape.\n`,
  ]);
  expect(stderr).toContain('"allow" in tapedeck.config.json');
  expect(await readFile(pathOf(`one/${first}`), "utf8")).toContain(random);
});

it("redact does not leave secrets on tapes because another one is damaged", async () => {
  await tapes.start("auto");
  for (const test of ["a", "b", "c", "d"]) await record(test, "What does Jane Example pack?");
  await tapes.proxy.stop();
  await writeFile(pathOf("a/tape.json"), "{");
  const answer = await readFile(pathOf(`c/${first}`), "utf8");
  await writeFile(pathOf(`c/${first}`), answer.replace("Sunscreen", "Sandcream"));
  await configure();
  const { code, stdout, stderr } = await tapedeck("redact");
  expect([code, stdout.match(/^removed {2}(.)/gm)]).toEqual([1, ["removed  b", "removed  d"]]);
  expect(stdout).toContain("Secrets were removed from 2 recordings.");
  expect(stderr).toMatch(/a\/tape\.json:1 is not valid JSON[\s\S]*c\/001\.cassette\.json /);
});

it("redact keeps the names, ids and order of recordings that a person gave them", async () => {
  await tapes.serve(...answers("First.", "Second.", "Third."));
  await tapes.start("auto");
  await record("one", "What does Jane Example pack?", 3);
  await tapes.proxy.stop();
  const list = await readFile(pathOf("one/tape.json"), "utf8");
  const files = ["Last.cassette.json", "002.cassette.json", "a.b.cassette.json"];
  await rename(pathOf(`one/${first}`), pathOf(`one/${files[0]}`));
  await rename(pathOf("one/003.cassette.json"), pathOf(`one/${files[2]}`));
  const { exchanges, ...rest } = JSON.parse(list);
  const named = files.map((file, index) => ({ ...exchanges[index], file })).reverse();
  await writeFile(pathOf("one/tape.json"), JSON.stringify({ ...rest, exchanges: named }));
  await copyFile(pathOf(`one/${files[0]}`), pathOf("one/unlisted.cassette.json"));
  await configure();
  expect((await tapedeck("redact")).stdout).toContain("Secrets were removed from 4 recordings.");
  expect((await readdir(pathOf("one"))).sort()).toEqual([...files, "tape.json", "unlisted.cassette.json"].sort());
  for (const file of await readdir(pathOf("one")))
    expect(await readFile(pathOf(`one/${file}`), "utf8")).not.toContain("Jane");
  await tapes.start("replay");
  for (const expected of ["Third.", "Second.", "First.", "First."])
    expect((await send("one", "What does Jane Example pack?")).text).toContain(expected);
});

it("redact finds what only a URL in a header has, and what a body of text has", async () => {
  const host = "store.example";
  await tapes.serve((response) => {
    response.writeHead(302, { location: "/of/Jane%20Example?x=1" }).end();
  });
  const options = { hosts: [host], addresses: { [host]: tapes.server.origin } };
  const ask = async (path: string, headers = {}, body?: string) => {
    const { hostname, port } = new URL(tapes.proxy.origin);
    const to = { hostname, port, path: `http://${host}${path}`, method: body === undefined ? "GET" : "POST" };
    const sent = request({ ...to, headers: { host, ...headers } }).end(body);
    return new Promise<string>((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (response) => {
        text(response).then(() => resolve(String(response.headers.location)), reject);
      });
    });
  };
  const copied = { "x-amz-copy-source": "/of/Jane%20Example" };
  await tapes.start("auto", options);
  for (const headers of [{}, copied]) expect(await ask("/moved", headers)).toContain("Jane");
  await ask("/moved", {}, "who=Jane+Example");
  await tapes.proxy.stop();
  await configure();
  const { stdout } = await tapedeck("redact");
  expect(stdout).toContain(`removed  default: ${first}: response: location: url\n`);
  expect(stdout).toContain("removed  default: 002.cassette.json: /headers/x-amz-copy-source: url\n");
  expect(stdout).toContain("removed  default: 003.cassette.json: body: api-key\n");
  await tapes.start("replay", options);
  expect(await ask("/moved", {}, "who=Jane+Example")).toContain("/of/***");
  for (const headers of [{}, copied]) expect(await ask("/moved", headers)).toMatch(/^\/of\/\*+\?x=1$/);
});
