import { describe, expect, it } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { log } from "#lib/platform/log";
import { answerRequest } from "#lib/server/mcp/create-server";
import { listen } from "#lib/server/mcp/subscription-streams";
import type { ToolContext } from "#lib/server/mcp/tool-context";
import { maxStreamsPerKey, maxStreamsPerNetwork } from "#lib/server/mcp-sessions/index";
import { callerOf } from "#tests/support/callers";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();

const message = {
  jsonrpc: "2.0" as const,
  id: 1,
  method: "subscriptions/listen",
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

type Client = { address: string; caller?: Caller; lifeMs?: number };

/** Opens a stream of notifications for a client. */
function open({ address, caller = anonymousCaller, lifeMs }: Client): Promise<Response> {
  const context = { database: database.client, clock: systemClock, log: log(), caller, clientAddress: () => address };
  const request = new Request("http://localhost/api/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": message.method,
    },
    body: JSON.stringify(message),
  });
  const toolContext = context as unknown as ToolContext;
  return answerRequest({ route: "stateless", context: toolContext, message, isLegacy: false }, (register) =>
    listen(toolContext, { message, register }, request, lifeMs),
  );
}

async function openMany(client: Client, count: number): Promise<Response[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => open(client)));
  expect(responses[0]?.headers.get("content-type")).toBe("text/event-stream");
  return responses;
}

const tooMany = { code: "service_unavailable", status: 503, headers: { "Retry-After": "60" } };

describe("streams of notifications", () => {
  it("are bounded per network without a key, and leave room for others", async () => {
    const responses = await openMany({ address: "2001:db8::1" }, maxStreamsPerNetwork);
    await expect(open({ address: "2001:db8::ffff" })).rejects.toMatchObject(tooMany);
    const other = await open({ address: "203.0.113.1" });
    await other.body?.cancel();
    await responses[0]?.body?.cancel();
    responses[0] = await open({ address: "2001:db8::2" });
    for (const response of responses) await response.body?.cancel();
  });

  it("are bounded per key, from any address", async () => {
    const caller = callerOf("free");
    const responses = await openMany({ address: "203.0.113.2", caller }, maxStreamsPerKey);
    await expect(open({ address: "203.0.113.3", caller })).rejects.toMatchObject(tooMany);
    for (const response of responses) await response.body?.cancel();
  });

  it("end after their lifetime, which makes room for others", async () => {
    const address = "203.0.113.4";
    const responses = await openMany({ address, lifeMs: 100 }, maxStreamsPerNetwork);
    for (const response of responses) expect(await response.text()).toContain("subscriptions/acknowledged");
    await (await open({ address })).body?.cancel();
  });
});
