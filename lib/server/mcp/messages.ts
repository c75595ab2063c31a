import { type SpecTypeName, specTypeSchemas } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { parseBoundedJson } from "#lib/platform/bounded-json";
import { describeIssue } from "#lib/platform/describe-issue";
import { AppError } from "#lib/platform/errors";

/** A JSON-RPC message of a client. Only these members are checked. */
export type ClientMessage = {
  jsonrpc: "2.0";
  id?: string | number | null;
  /** Absent in a response to a request of the server. */
  method?: string;
  params?: Record<string, unknown>;
};

type JsonRpcError = {
  jsonrpc: "2.0";
  /** -32700 not JSON, -32600 not a request, -32602 invalid params, -32603 internal error, and codes of MCP. */
  error: { code: number; message: string };
  id: string | number | null;
};

export function jsonRpcError(code: number, message: string, id: JsonRpcError["id"] = null): JsonRpcError {
  return { jsonrpc: "2.0", error: { code, message }, id };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isResponse(value: Record<string, unknown>): boolean {
  return idOf(value) !== null && ("result" in value || "error" in value);
}

/** An escape of NUL or of a surrogate; in the output of `JSON.stringify`, only lone surrogates are escaped. */
const unstorableEscape = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** Whether a value has a string with NUL or a lone surrogate, which PostgreSQL cannot store. */
function isUnstorable(text: string, value: unknown): boolean {
  return unstorableEscape.test(text) && unstorableEscape.test(JSON.stringify(value));
}

/** Returns the id of a request; null if it has none. */
function idOf(value: unknown): JsonRpcError["id"] {
  const { id } = isObject(value) ? value : {};
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** The types of the protocol's requests that have params, by method. */
const requestTypes: Readonly<Record<string, SpecTypeName>> = {
  initialize: "InitializeRequest",
  "tools/list": "ListToolsRequest",
  "tools/call": "CallToolRequest",
  "resources/list": "ListResourcesRequest",
  "resources/templates/list": "ListResourceTemplatesRequest",
  "resources/read": "ReadResourceRequest",
  "resources/subscribe": "SubscribeRequest",
  "resources/unsubscribe": "UnsubscribeRequest",
  "prompts/list": "ListPromptsRequest",
  "prompts/get": "GetPromptRequest",
  "completion/complete": "CompleteRequest",
};

/** Methods that revision 2026-07-28 does not have. */
const legacyMethods = ["initialize", "resources/subscribe", "resources/unsubscribe"];

/** Returns the error for a request without the params that its method needs: the SDK's own is a list of a validator's issues. */
export function invalidParams(message: ClientMessage, { isLegacy }: { isLegacy: boolean }): JsonRpcError | undefined {
  const { method = "", id } = message;
  // A notification is not answered, and the SDK refuses other ids.
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  if (!isLegacy && legacyMethods.includes(method)) return undefined;
  const type = Object.hasOwn(requestTypes, method) ? requestTypes[method] : undefined;
  const result = type && specTypeSchemas[type]["~standard"].validate(message);
  if (!result?.issues) return undefined;
  return jsonRpcError(-32602, `${method} is not valid: ${describeIssue(result as unknown as z.ZodError)}.`, id);
}

type ReadMessage = { message: ClientMessage } | { rejection: JsonRpcError };

/** Parses a body as one JSON-RPC message, or returns the JSON-RPC error to send. */
export function readMessage(body: Uint8Array, { acceptsResponses }: { acceptsResponses: boolean }): ReadMessage {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    value = parseBoundedJson(text);
    if (isUnstorable(text, value)) {
      const message = "Strings must not have the character U+0000 or a lone surrogate.";
      return { rejection: jsonRpcError(-32600, message, idOf(value)) };
    }
  } catch (error) {
    if (error instanceof AppError) return { rejection: jsonRpcError(-32600, error.message) };
    return { rejection: jsonRpcError(-32700, "The body is not JSON.") };
  }
  if (Array.isArray(value)) {
    return { rejection: jsonRpcError(-32600, "Batches are not supported: send one request at a time.") };
  }
  if (isObject(value) && value.jsonrpc === "2.0") {
    const isAccepted = typeof value.method === "string" || (acceptsResponses && isResponse(value));
    if (isAccepted) return { message: value as ClientMessage };
  }
  const message = 'The body is not a JSON-RPC 2.0 request: it needs "jsonrpc": "2.0" and "method".';
  return { rejection: jsonRpcError(-32600, message, idOf(value)) };
}
