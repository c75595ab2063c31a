/** A JSON-RPC message of a client, as far as the house looks into it. */
export type ClientMessage = {
  jsonrpc: "2.0";
  id?: string | number | null;
  /** Absent in an answer to a request of the server. */
  method?: string;
  params?: Record<string, unknown>;
};

/** -32700 no JSON, -32600 no request, -32603 the server could not do it. */
export type JsonRpcError = {
  jsonrpc: "2.0";
  error: { code: -32700 | -32600 | -32603; message: string };
  id: string | number | null;
};

export function jsonRpcError(
  code: JsonRpcError["error"]["code"],
  message: string,
  id: JsonRpcError["id"] = null,
): JsonRpcError {
  return { jsonrpc: "2.0", error: { code, message }, id };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAnswer(value: Record<string, unknown>): boolean {
  const { id } = value;
  return (typeof id === "string" || typeof id === "number") && ("result" in value || "error" in value);
}

type Checked = { message: ClientMessage } | { rejection: JsonRpcError };

/** Reads a body as one JSON-RPC message, or says what is wrong with it. */
export function readMessage(body: Uint8Array, { takesAnswers }: { takesAnswers: boolean }): Checked {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return { rejection: jsonRpcError(-32700, "The body is not JSON.") };
  }
  if (Array.isArray(value)) {
    return { rejection: jsonRpcError(-32600, "Batches are not supported: send one request at a time.") };
  }
  if (isObject(value) && value.jsonrpc === "2.0") {
    const isTaken = typeof value.method === "string" || (takesAnswers && isAnswer(value));
    if (isTaken) return { message: value as ClientMessage };
  }
  const message = 'The body is not a JSON-RPC 2.0 request: it needs "jsonrpc": "2.0" and "method".';
  return { rejection: jsonRpcError(-32600, message) };
}
