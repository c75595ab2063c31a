import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { PendingRequests, type Session } from "#lib/server/mcp-sessions/index";
import type { ToolContext } from "./tool-context";

const restoreId = "tapedeck-restore";

type Options = {
  context: ToolContext;
  session: Session | null;
  /** Id of the request being served; undefined for a notification. */
  servedId: RequestId | undefined;
};

const related = (relatedRequestId: RequestId) => ({ relatedRequestId });

/**
 * Serves one request of a session whose state is in the database. It replays the client's `initialize` to the server
 * created for this request, and waits for the client's responses to the server's own requests, which may reach any
 * instance.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #context: ToolContext;
  readonly #session: Session | null;
  /** Created with the first request to the client: few tools send one. */
  #pending: PendingRequests | undefined;
  readonly #servedId: RequestId | undefined;
  /** The server's own id of each request sent to the client. Servers start counting at 0, so clients get unique ids. */
  readonly #ownIds = new Map<string, RequestId>();
  #onRestored: () => void = () => undefined;

  constructor({ context, session, servedId }: Options) {
    super();
    this.#context = context;
    this.#session = session;
    this.#servedId = servedId;
  }

  /** Replays the session's `initialize` to a newly created server. */
  async restore({ client }: Session): Promise<void> {
    const restored = new Promise<void>((resolve) => {
      this.#onRestored = resolve;
    });
    this.onmessage?.({ jsonrpc: "2.0", id: restoreId, method: "initialize", params: client } as JSONRPCMessage, {});
    await restored;
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    const isResponse = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (isResponse && message.id === restoreId) return this.#onRestored();
    if (!isJSONRPCRequest(message) || !this.#session) return super.send(message, options);
    this.#pending ??= new PendingRequests(this.#context, this.#session, (response) => this.#receive(response));
    const id = crypto.randomUUID();
    this.#ownIds.set(id, message.id);
    await this.#pending.add(id);
    // The server asks on behalf of the request being served, so the request goes out on that request's stream.
    await super.send({ ...message, id }, { ...options, ...(this.#servedId !== undefined && related(this.#servedId)) });
  }

  override async close(): Promise<void> {
    await this.#pending?.close().catch(() => undefined);
    await super.close();
  }

  #receive(response: unknown): void {
    const message = response as { id: string };
    const id = this.#ownIds.get(message.id);
    if (id !== undefined) this.onmessage?.({ ...message, id } as JSONRPCMessage, {});
  }
}

/** Returns the response, calling `onEnd` once when its body has been read to the end, cancelled or failed. */
export function onBodyEnd(response: Response, onEnd: () => void): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onEnd();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      onEnd();
      controller.close();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
