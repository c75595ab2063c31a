import { expect, test } from "vitest";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();
const json = { "content-type": "application/json" };

test("a poll says at maximum speed that the next one need not wait, and else what was recorded", async () => {
  await tapes.serve((response) => {
    response.writeHead(200, { ...json, "openai-poll-after-ms": "5000" }).end('{"status":"queued"}');
  });
  const intervalOf = async (method = "GET") => {
    const url = `${tapes.proxy.baseUrl("polls", "openai")}/threads/thread_1/runs/run_1`;
    return (await fetch(url, { method })).headers.get("openai-poll-after-ms");
  };
  await tapes.start("auto");
  expect([await intervalOf(), await intervalOf("POST")]).toEqual(["5000", "5000"]);
  await tapes.disconnect();
  const proxy = await tapes.start("replay");
  expect([await intervalOf(), await intervalOf("POST")]).toEqual(["1", "5000"]);
  await proxy.begin("polls", { speed: "recorded" });
  expect(await intervalOf()).toBe("5000");
});
