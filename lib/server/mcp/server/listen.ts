import { createMcpHandler, type ServerEvent, type ServerEventBus } from "@modelcontextprotocol/server";
import { processSingleton } from "#lib/platform/process-singleton";
import { maxStreamCount, maxSubscriptionCount } from "#lib/server/mcp-sessions/index";
import { type Tail, tailNotifications, toolsTopic } from "#lib/server/notifications/index";
import { announceToolsOnce } from "../announce-tools";
import { type ClientMessage, jsonRpcError } from "../messages";
import type { ToolContext } from "../registry";
import { createServer } from "./create-server";
import { currentExchange } from "./exchange";
import { requireTopic } from "./require-topic";
import { uriOfTopic } from "./uris";

/** What changes, told to every stream of this instance; the log is followed while there are any. */
class NotificationBus implements ServerEventBus {
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  #openingCount = 0;
  #tail: Tail | undefined;

  /** Follows the log before it opens a stream, which so misses nothing. */
  async opening<T>({ database, log }: ToolContext, open: () => Promise<T>): Promise<T> {
    this.#openingCount += 1;
    try {
      this.#tail ??= tailNotifications({ database, log, onTopic: (topic) => this.#tell(topic) });
      await this.#tail.ready;
      return await open();
    } finally {
      this.#openingCount -= 1;
      this.#stopUnheard();
    }
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#stopUnheard();
    };
  }

  #stopUnheard(): void {
    if (this.#listeners.size + this.#openingCount > 0) return;
    this.#tail?.stop();
    this.#tail = undefined;
  }

  #tell(topic: string): void {
    const uri = uriOfTopic(topic);
    if (topic === toolsTopic) this.publish({ kind: "tools_list_changed" });
    else if (uri) this.publish({ kind: "resource_updated", uri });
  }
}

const bus = processSingleton("mcpNotificationBus", () => new NotificationBus());

/** Serves the stateless revision 2026-07-28: single requests, and the streams of what changes. */
export const modernHandler = createMcpHandler(() => createServer(currentExchange(), { hasStreams: true }), {
  legacy: "reject",
  bus,
  maxSubscriptions: maxStreamCount,
});

type Wanted = { resourceSubscriptions?: unknown };

/** Checks the resources that a client wants to hear of, one by one. Throws ResourceNotFoundError. */
async function checkWanted(context: ToolContext, { params }: ClientMessage): Promise<void> {
  const { resourceSubscriptions } = (params?.notifications ?? {}) as Wanted;
  const wanted = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  for (const uri of wanted.slice(0, maxSubscriptionCount)) await requireTopic(context, String(uri));
}

function protocolCodeOf(error: unknown): number | null {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : null;
}

/** Opens a stream of changes (`subscriptions/listen`), or says why not. */
export async function listen(context: ToolContext, message: ClientMessage, request: Request): Promise<Response> {
  try {
    await checkWanted(context, message);
  } catch (error) {
    const code = protocolCodeOf(error);
    if (code === null) throw error;
    const { id = null } = message;
    return Response.json({ ...jsonRpcError(-32603, "", id), error: { code, message: (error as Error).message } });
  }
  await announceToolsOnce(context);
  return bus.opening(context, () => modernHandler.fetch(request, { parsedBody: message }));
}
