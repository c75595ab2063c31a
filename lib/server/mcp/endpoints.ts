import { z } from "zod";
import { defineEndpoint } from "#lib/contract/endpoint";
import { maxMcpBodyByteSize, mcpIdentitySchema } from "./schemas";

export const getMcpIdentityEndpoint = defineEndpoint({
  id: "getMcpIdentity",
  method: "GET",
  path: "/api/mcp",
  tag: "MCP",
  summary: "Identify the MCP server",
  description: "Who answers here. A client that asks for an event stream gets 405: this endpoint keeps none open.",
  auth: "none",
  answers: {
    200: {
      description: "The identity.",
      body: {
        type: "application/json",
        schema: mcpIdentitySchema,
        example: { name: "tapedeck", version: "1.0.0", protocol: "2024-11-05" },
      },
    },
  },
  errors: { method_not_allowed: "The client accepts only `text/event-stream`." },
});

const callErrors = {
  bad_request: "The request is not JSON-RPC, or a batch (JSON-RPC error -32700 or -32600).",
  forbidden: "The request came under a host name, or from a page, that this server is not published for.",
  payload_too_large: "The body is over 1 MiB.",
  rate_limited: "The caller's requests of today are used up; `tools/call` alone counts.",
} as const;

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
    "One JSON-RPC 2.0 request of the Model Context Protocol (`initialize`, `tools/list`, `tools/call`, and the other methods of its revisions), over stateless Streamable HTTP. The key's tier decides which tools there are. A client that names no type in `Accept` gets JSON.",
  auth: "optional",
  rawBodyByteSize: maxMcpBodyByteSize,
  bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  answers: {
    200: { description: "The JSON-RPC response, as JSON or as one server-sent event.", body: callBody },
    202: { description: "A notification was taken." },
  },
  errors: callErrors,
});

const sessionHeaders = {
  "Mcp-Session-Id": {
    description: "The session that `initialize` opened. Revision 2026-07-28 has no sessions and needs none.",
    schema: { type: "string", format: "uuid" },
  },
};
const noSession = "There is no such session, it has ended, or another key opened it.";

export const callMcpSessionEndpoint = defineEndpoint({
  id: "callMcpSession",
  method: "POST",
  path: "/api/mcp/v2",
  tag: "MCP",
  summary: "Call the MCP server with sessions",
  description:
    "One JSON-RPC 2.0 message over Streamable HTTP. `initialize` opens a session, which any instance serves, and names it in the header `Mcp-Session-Id`. Lists the same eight tools to every tier.",
  auth: "optional",
  requestHeaders: sessionHeaders,
  rawBodyByteSize: maxMcpBodyByteSize,
  bodyExample: {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "docs", version: "1.0.0" } },
  },
  answers: {
    200: {
      description: "The JSON-RPC response, as JSON or as server-sent events.",
      headers: { "Mcp-Session-Id": { description: "The session that was opened.", schema: { type: "string" } } },
      body: callBody,
    },
    202: { description: "A notification or an answer was taken." },
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
    "Server-sent events: changes of the vendors that the session subscribed to, and of the list of tools. A session has one stream: the one opened last. It ends after four and a half minutes; `Last-Event-ID` goes on where it was.",
  auth: "optional",
  requestHeaders: {
    ...sessionHeaders,
    "Last-Event-ID": { description: "Id of the last event that arrived.", schema: { type: "string" } },
  },
  cacheControl: "no-cache, no-transform",
  answers: {
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
    bad_request: "The session's header is missing, or the client does not take an event stream.",
    forbidden: callErrors.forbidden,
    not_found: noSession,
    service_unavailable: "This instance has its 1,000 streams open.",
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
  answers: { 204: { description: "It has ended." } },
  errors: {
    bad_request: "The session's header is missing.",
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
