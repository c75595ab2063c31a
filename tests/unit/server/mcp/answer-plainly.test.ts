import { McpServer } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { answerPlainly } from "#lib/server/mcp/answer-plainly";
import type { McpPost } from "#lib/server/mcp/mcp-request";
import { deferred } from "#tests/support/deferred";

const never = new AbortController().signal;

function postOf(message: object, { headers = {}, signal = never } = {}): McpPost {
  const given = new Headers(headers);
  return {
    header: (name) => given.get(name),
    headers: () => given,
    signal: () => signal,
    message: { jsonrpc: "2.0", ...message },
  };
}

function serverWith(work: () => Promise<unknown>): McpServer {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  server.registerTool("work", {}, async () => {
    await work();
    return { content: [] };
  });
  return server;
}

const call = { id: 7, method: "tools/call", params: { name: "work", arguments: {} } };

it("answers a call whose client has left as soon as its tool has ended", async () => {
  const client = new AbortController();
  const [started, ends] = [deferred(), deferred()];
  const work = () => {
    started.resolve();
    return ends.promise;
  };
  const answered = answerPlainly(serverWith(work), postOf(call, { signal: client.signal }));
  await started.promise;
  client.abort();
  ends.resolve();
  expect(await answered).toMatchObject({ status: 200, message: { id: 7, result: { content: [] } } });
});

it.each([
  [{ id: 1.5, method: "ping" }, null],
  [{ id: null, method: "ping" }, null],
  [{ id: "a", method: "ping", params: [1] }, "a"],
])("refuses %j, which is not a request", async (message, id) => {
  const answer = await answerPlainly(
    serverWith(async () => {}),
    postOf(message),
  );
  expect(answer).toMatchObject({ status: 400, message: { id, error: { code: -32600 } } });
});

it("names the revisions that it knows, with the id of the request", async () => {
  const headers = { "mcp-protocol-version": "1999-01-01" };
  const answer = await answerPlainly(
    serverWith(async () => {}),
    postOf(call, { headers }),
  );
  expect(answer).toMatchObject({
    status: 400,
    message: { id: 7, error: { code: -32000, message: expect.stringContaining("2025-11-25") } },
  });
});
