import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "#tests/support/conversation-cassettes";
import {
  type Json,
  type ProtocolName,
  protocolNames,
  protocols,
  question,
} from "#tests/support/conversation-protocols";
import { startProvider } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { type ServedFolder, serveFiles } from "#tests/support/serve-files";
import { streamAnswer, turnAnswers, turnRequests } from "#tests/support/tape-conversations";
import { temporaryFolder } from "#tests/support/temporary-folder";

const folder = temporaryFolder();
let served: ServedFolder;

/** Records each turn by itself, as somebody does who has the requests in files. */
async function record(name: ProtocolName): Promise<void> {
  const protocol = protocols[name];
  const { provider } = protocol;
  const answers = turnAnswers(protocol);
  for (const [index, request] of turnRequests(protocol, question, () => '{"celsius":21}').entries()) {
    const double = await startProvider(streamAnswer(protocol, answers[index] as Json));
    const file = join(folder, "request.json");
    await writeFile(file, JSON.stringify({ ...request, ...(provider.name === "gemini" ? {} : { stream: true }) }));
    const options = ["--provider", provider.name, "--base-url", double.origin, "--out", folder, "--request", file];
    const { code, stderr } = await runCommand(["record", `trips/${name}-${index + 1}`, ...options, "--model", "m-1"]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    await double.close();
  }
}

beforeAll(async () => {
  for (const name of protocolNames) await record(name);
  const files = (await readdir(join(folder, "trips"))).filter((name) => name.endsWith(".json"));
  const read = async (name: string) =>
    [`trips/${name.slice(0, -5)}`, await readFile(join(folder, "trips", name))] as const;
  served = await serveFiles("node", new Map(await Promise.all(files.map(read))));
});
afterAll(async () => {
  await served.stop();
});

describe.each(protocolNames)("a conversation of %s whose turns were recorded one by one", (name) => {
  it.each([
    ["the name of its first turn", "-1", "{}"],
    ["the name of its last turn", "-3", "no idea"],
    ["the recorded results, and no name", null, '{"celsius":21}'],
    ["other results of tools, and no name", null, '{"celsius":-3}'],
  ])("plays as it was, with %s", async (_title, turn, output) => {
    const headers: Record<string, string> = turn === null ? {} : { "x-replay-cassette": `trips/${name}${turn}` };
    const played: (string | null)[] = [];
    for (const request of turnRequests(protocols[name], question, () => output)) {
      const body: Json = { ...request, model: "m-1" };
      const response = await send(served.origin, name, body, { headers });
      await response.text();
      played.push(response.headers.get("x-replay-cassette"));
    }
    expect(played).toEqual([1, 2, 3].map((number) => `trips/${name}-${number}`));
  });
});
