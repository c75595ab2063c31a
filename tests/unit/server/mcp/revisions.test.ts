import { classifyInboundRequest } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { isLegacy } from "#lib/server/mcp/mcp-request";
import type { ClientMessage } from "#lib/server/mcp/messages";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_pricing" } };
const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } };
const claim = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": client.clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const messages = [
  call,
  { ...call, params: undefined },
  { ...call, params: { ...call.params, _meta: claim } },
  { ...call, params: { ...call.params, _meta: {} } },
  { ...call, method: "initialize", params: client },
  { ...call, method: "initialize", params: { ...client, _meta: claim } },
  { ...call, id: undefined },
  ...[1.5, null, true].map((id) => ({ ...call, id })),
  ...[[1], "a", null].map((params) => ({ ...call, params })),
  { ...call, other: 1 },
  { jsonrpc: "2.0", id: 1, result: {} },
  { jsonrpc: "2.0", id: 1, error: "a" },
];

it.each([null, "2025-06-18", "2026-07-28", "1999-01-01", ""])(
  "messages with the revision %j in the header are of the revision that the SDK takes them for",
  (version) => {
    const isLegacyToSdk = (body: unknown) => {
      const protocolVersionHeader = version ?? undefined;
      return classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader, body }).kind === "legacy";
    };
    const header = (name: string) => (name === "mcp-protocol-version" ? version : null);
    for (const message of messages) {
      const isOurs = isLegacy({ header, message: message as ClientMessage });
      expect(isOurs, JSON.stringify(message)).toBe(isLegacyToSdk(message));
    }
  },
);
