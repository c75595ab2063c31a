import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "#tests/support/conversation-cassettes";
import { type Json, protocolNames, protocols, question, turnsOf } from "#tests/support/conversation-protocols";
import { startProvider, streamOf } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { type Served, serve } from "#tests/support/serve";
import { temporaryFolder } from "#tests/support/temporary-folder";

const folder = temporaryFolder();
let served: Served;

/** The turns of a protocol's conversation: each request, with these outputs of tools, and the answer to it. */
function conversationOf(name: (typeof protocolNames)[number], output: string) {
  const { requestOf, answerOf, callIds, continue: next } = protocols[name];
  let request = requestOf(question);
  return turnsOf(callIds).map((turn, index) => {
    const answer = answerOf(turn, `${name}_${index + 1}`);
    const asked = { request, answer };
    request = next(
      request,
      answer,
      turn.calls.map((call) => ({ id: call.id, name: call.name, output })),
    );
    return asked;
  });
}

/** Records each turn by itself, as somebody does who has the requests in files. */
async function record(name: (typeof protocolNames)[number]): Promise<void> {
  const { provider, headers } = protocols[name];
  for (const [index, { request, answer }] of conversationOf(name, '{"celsius":21}').entries()) {
    const { contentType, events } = provider.unfold(answer);
    const double = await startProvider(
      streamOf(Buffer.from(events.join("")), { headers: { "content-type": contentType, ...headers } }),
    );
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
  served = await serve("node", { CASSETTE_DIR: folder });
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
    for (const { request } of conversationOf(name, output)) {
      const body: Json = { ...request, model: "m-1" };
      const response = await send(served.origin, name, body, { headers });
      await response.text();
      played.push(response.headers.get("x-replay-cassette"));
    }
    expect(played).toEqual([1, 2, 3].map((number) => `trips/${name}-${number}`));
  });
});
