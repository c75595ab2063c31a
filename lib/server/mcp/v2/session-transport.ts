import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { Questions, type Session } from "#lib/server/mcp-sessions/index";
import type { ToolContext } from "../registry";

const restoreId = "tapedeck-restore";

type Options = {
  context: ToolContext;
  session: Session | null;
  /** Id of the request that is served; undefined for a notification. */
  servedId: RequestId | undefined;
  sendsEvents: boolean;
};

const related = (relatedRequestId: RequestId) => ({ relatedRequestId });

/**
 * Serves one request of a session whose state stands in the database: it tells the server of the request what the
 * client said when it opened the session, and waits for the client's answers to the server's own requests, which may
 * reach any instance.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #questions: Questions | undefined;
  readonly #servedId: RequestId | undefined;
  /** Under which id the server itself knows a request: it counts anew in every request, clients need ids apart. */
  readonly #ownIds = new Map<string, RequestId>();
  #onRestored: () => void = () => undefined;

  constructor({ context, session, servedId, sendsEvents }: Options) {
    super({ enableJsonResponse: !sendsEvents });
    this.#servedId = servedId;
    if (session) this.#questions = new Questions(context, session, (answer) => this.#pass(answer));
  }

  /** Replays the session's `initialize` to a server that has just been made. */
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
    if (!isJSONRPCRequest(message) || !this.#questions) return super.send(message, options);
    const id = crypto.randomUUID();
    this.#ownIds.set(id, message.id);
    await this.#questions.expect(id);
    // Whatever the server asks here, it asks on behalf of the request: its answer's stream carries the question.
    await super.send({ ...message, id }, { ...options, ...(this.#servedId !== undefined && related(this.#servedId)) });
  }

  override async close(): Promise<void> {
    await this.#questions?.close().catch(() => undefined);
    await super.close();
  }

  #pass(answer: unknown): void {
    const message = answer as { id: string };
    const id = this.#ownIds.get(message.id);
    if (id !== undefined) this.onmessage?.({ ...message, id } as JSONRPCMessage, {});
  }
}
