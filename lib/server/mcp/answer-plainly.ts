import {
  type JSONRPCMessage,
  type McpServer,
  parseJSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/server";
import type { McpPost, PlainAnswer } from "./mcp-request";
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

function refuse(code: number, message: string): PlainAnswer {
  return { status: 400, message: { ...jsonRpcError(-32700, message), error: { code, message } } };
}

/**
 * Answers a message of a revision that starts with `initialize`, without the web's requests and responses that the SDK's
 * transports need. What a tool sends before its result is dropped. An abort of `timeout` cancels the work.
 */
export async function answerPlainly(server: McpServer, post: McpPost, timeout: AbortSignal): Promise<PlainAnswer> {
  const version = post.headers.get("mcp-protocol-version");
  if (post.message.method !== "initialize" && version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const supported = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
    return refuse(-32000, `Bad Request: Unsupported protocol version: ${version} (supported versions: ${supported})`);
  }
  let message: JSONRPCMessage;
  try {
    message = parseJSONRPCMessage(post.message);
  } catch {
    return refuse(-32700, "Parse error: Invalid JSON-RPC message");
  }
  const close = () => void server.close().catch(() => undefined);
  for (const signal of [post.signal, timeout]) signal.addEventListener("abort", close, { once: true });
  return new Promise((resolve, reject) => {
    const transport = new AnswerTransport((answer) => resolve({ status: 200, message: answer }));
    server.connect(transport).then(() => {
      transport.onmessage?.(message, {});
      if (!("id" in message)) resolve({ status: 202 });
    }, reject);
  });
}
