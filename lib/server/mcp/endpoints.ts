import * as z from "zod";
import { defineEndpoint, eventStreamBody, jsonResponse } from "#lib/contract/endpoint";

/** The revision in the identity, fixed by the contract. The endpoint supports newer ones too. */
export const identityProtocol = "2024-11-05";

/** Maximum size of an MCP request body, in bytes. */
export const maxMcpBodyByteSize = 1024 * 1024;

const mcpIdentitySchema = z
  .object({ name: z.string(), version: z.string(), protocol: z.literal(identityProtocol) })
  .meta({ id: "McpIdentity", description: "Name and version of the MCP server." });
export type McpIdentity = z.infer<typeof mcpIdentitySchema>;

export const getMcpIdentityEndpoint = defineEndpoint({
  id: "getMcpIdentity",
  method: "GET",
  path: "/api/mcp",
  tag: "MCP",
  summary: "Identify the MCP server",
  description:
    "Returns the name and version of the MCP server. A client that accepts only an event stream gets 405: this endpoint has none.",
  auth: "none",
  responses: {
    200: jsonResponse("The identity.", mcpIdentitySchema, {
      name: "tapedeck",
      version: "1.0.0",
      protocol: "2024-11-05",
    }),
  },
  errors: { method_not_allowed: "The client accepts only `text/event-stream`." },
});

const callErrors = {
  forbidden: "The request's host name or origin is not one that this server is published under.",
  payload_too_large: "The body is over 1 MiB.",
  rate_limited:
    "The address has used up today's requests, which include those with an invalid key. A tool call over the limit has a result with `isError` instead.",
  service_unavailable: "For `subscriptions/listen`: the caller or this instance has too many open streams.",
} as const;

/** The errors of a POST with status 400: of JSON-RPC, or the usual body. */
const badRequestSchema = z.union([
  z.looseObject({ jsonrpc: z.literal("2.0"), error: z.looseObject({ code: z.int(), message: z.string() }) }),
  z.object({ error: z.string(), code: z.literal("bad_request"), status: z.literal(400) }),
]);

const badCall = jsonResponse(
  "The request is not JSON-RPC, or a batch (JSON-RPC error -32700 or -32600), or an `initialize` without what it needs (-32602); or a header of the request is invalid.",
  badRequestSchema,
  { jsonrpc: "2.0", error: { code: -32700, message: "The body is not JSON." }, id: null },
);

const otherBodies = [eventStreamBody('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n')];

const callBody = {
  type: "application/json",
  schema: z.looseObject({ jsonrpc: z.literal("2.0") }),
  example: { jsonrpc: "2.0", id: 1, result: { tools: [] } },
};

export const callMcpEndpoint = defineEndpoint({
  id: "callMcp",
  method: "POST",
  path: "/api/mcp",
  tag: "MCP",
  summary: "Call the MCP server",
  description:
    "Takes one JSON-RPC 2.0 request of the Model Context Protocol (`initialize`, `tools/list`, `tools/call` and the other methods of its revisions) over stateless Streamable HTTP. The tier of the API key decides which tools are available. Without a type in `Accept` the answer is JSON.",
  auth: "optional",
  maxDurationSeconds: 300,
  rawBodyByteSize: maxMcpBodyByteSize,
  bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  responses: {
    200: { description: "The JSON-RPC response, as JSON or as server-sent events.", otherBodies, body: callBody },
    202: { description: "The notification was accepted." },
    400: badCall,
  },
  errors: callErrors,
});

const sessionHeaders = {
  "Mcp-Session-Id": {
    description: "The session that `initialize` opened. Revision 2026-07-28 has no sessions.",
    schema: { type: "string", format: "uuid" },
  },
};
const noSession = "The session does not exist, has ended, or was opened with another key.";

export const callMcpSessionEndpoint = defineEndpoint({
  id: "callMcpSession",
  method: "POST",
  path: "/api/mcp/v2",
  tag: "MCP",
  summary: "Call the MCP server with sessions",
  description:
    "Takes one JSON-RPC 2.0 message over Streamable HTTP. `initialize` opens a session and returns its id in the header `Mcp-Session-Id`; every instance serves it. Lists the same eight tools to every tier.",
  auth: "optional",
  maxDurationSeconds: 300,
  requestHeaders: sessionHeaders,
  rawBodyByteSize: maxMcpBodyByteSize,
  bodyExample: {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "docs", version: "1.0.0" } },
  },
  responses: {
    200: {
      description: "The JSON-RPC response, as JSON or as server-sent events.",
      headers: { "Mcp-Session-Id": { description: "The id of the new session.", schema: { type: "string" } } },
      otherBodies,
      body: callBody,
    },
    202: { description: "The notification or response was accepted." },
    400: badCall,
  },
  errors: { ...callErrors, not_found: noSession },
});

export const streamMcpSessionEndpoint = defineEndpoint({
  id: "streamMcpSession",
  method: "GET",
  path: "/api/mcp/v2",
  tag: "MCP",
  summary: "Stream a session's notifications",
  description:
    "Server-sent events for changes of the vendors that the session subscribed to, and of the list of tools. A session has one stream: opening another one ends it. A stream ends after four and a half minutes; reconnect with `Last-Event-ID` to resume.",
  auth: "optional",
  maxDurationSeconds: 300,
  requestHeaders: {
    ...sessionHeaders,
    "Last-Event-ID": { description: "Id of the last received event, to resume after it.", schema: { type: "string" } },
  },
  cacheControl: "no-cache, no-transform",
  responses: {
    200: {
      description: "The stream.",
      body: {
        type: "text/event-stream",
        schema: z.string(),
        example:
          'event: message\nid: 7\ndata: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"tapedeck://vendors/quarry"}}\n\n',
      },
    },
  },
  errors: {
    bad_request: "The header `Mcp-Session-Id` is missing, or the client does not accept an event stream.",
    forbidden: callErrors.forbidden,
    not_found: noSession,
    service_unavailable: "The caller or this instance has too many open streams.",
  },
});

export const deleteMcpSessionEndpoint = defineEndpoint({
  id: "deleteMcpSession",
  method: "DELETE",
  path: "/api/mcp/v2",
  tag: "MCP",
  summary: "End a session",
  description: "Ends the session and its stream.",
  auth: "optional",
  requestHeaders: sessionHeaders,
  responses: { 204: { description: "The session has ended." } },
  errors: {
    bad_request: "The header `Mcp-Session-Id` is missing.",
    forbidden: callErrors.forbidden,
    not_found: noSession,
  },
});

export const mcpEndpoints = [
  getMcpIdentityEndpoint,
  callMcpEndpoint,
  callMcpSessionEndpoint,
  streamMcpSessionEndpoint,
  deleteMcpSessionEndpoint,
];
