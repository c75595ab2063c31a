import {
  type JSONRPCMessage,
  type McpServer,
  parseJSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/server";
import {
  acceptsEventStream,
  type EventRequest,
  type McpAnswer,
  type McpPost,
  mcpExtension,
  type PlainAnswer,
} from "./mcp-request";
import { jsonRpcError } from "./messages";

/** Passes on what the server sends as the result of the one message that it gets. */
class AnswerTransport implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  readonly #onAnswer: (message: JSONRPCMessage) => void;

  constructor(onAnswer: (message: JSONRPCMessage) => void) {
    this.#onAnswer = onAnswer;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message)) this.#onAnswer(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/**
 * Answers a message of a revision that starts with `initialize`, without the web's requests and responses that the SDK's
 * transports need. What a tool sends before its result is dropped.
 */
export async function answerPlainly(server: McpServer, { header, message }: McpPost): Promise<PlainAnswer> {
  const refuse = (code: number, text: string): PlainAnswer => {
    const { id } = message;
    const isId = typeof id === "string" || Number.isInteger(id);
    return { status: 400, message: jsonRpcError(code, text, isId ? id : null) };
  };
  const version = header("mcp-protocol-version");
  if (message.method !== "initialize" && version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const supported = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
    return refuse(-32000, `Bad Request: Unsupported protocol version: ${version} (supported versions: ${supported})`);
  }
  let parsed: JSONRPCMessage;
  try {
    parsed = parseJSONRPCMessage(message);
  } catch {
    return refuse(-32600, 'The id has to be a text or a whole number, "method" a text, and "params" an object.');
  }
  return new Promise((resolve, reject) => {
    const transport = new AnswerTransport((answer) => resolve({ status: 200, message: answer }));
    server
      .connect(transport)
      .then(() => {
        transport.onmessage?.(parsed, {});
        if (!("id" in parsed)) resolve({ status: 202 });
      })
      .catch(reject);
  });
}

/** Passes a message of a revision that starts with `initialize` to a new server. */
export function serveLegacy(server: McpServer, request: EventRequest): Promise<McpAnswer> {
  const { serveWithEvents } = mcpExtension();
  if (serveWithEvents && acceptsEventStream(request.post)) return serveWithEvents(server, request);
  return answerPlainly(server, request.post);
}
