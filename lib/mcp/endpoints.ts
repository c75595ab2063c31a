import { z } from "zod";
import { defineEndpoint } from "#lib/http/endpoint";
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

export const callMcpEndpoint = defineEndpoint({
  id: "callMcp",
  method: "POST",
  path: "/api/mcp",
  tag: "MCP",
  summary: "Call the MCP server",
  description:
    "One JSON-RPC 2.0 request of the Model Context Protocol (`initialize`, `tools/list`, `tools/call`), over stateless Streamable HTTP. A client that names no type in `Accept` gets JSON.",
  auth: "none",
  rawBodyByteSize: maxMcpBodyByteSize,
  bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  answers: {
    200: {
      description: "The JSON-RPC response, as JSON or as one server-sent event.",
      body: {
        type: "application/json",
        schema: z.looseObject({ jsonrpc: z.literal("2.0") }),
        example: { jsonrpc: "2.0", id: 1, result: { tools: [] } },
      },
    },
    202: { description: "A notification was taken." },
  },
  errors: {
    bad_request: "The request is not JSON-RPC, or a batch (JSON-RPC error -32700 or -32600).",
    payload_too_large: "The body is over 1 MiB.",
  },
});

export const mcpEndpoints = [getMcpIdentityEndpoint, callMcpEndpoint];
