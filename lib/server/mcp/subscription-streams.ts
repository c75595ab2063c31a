import { createHash } from "node:crypto";
import { createMcpHandler, type ServerEvent, type ServerEventBus } from "@modelcontextprotocol/server";
import { AppError } from "#lib/platform/errors";
import { processSingleton } from "#lib/platform/process-singleton";
import { hourMs } from "#lib/platform/time";
import { maxSubscriptionCount, takeStreamSlot } from "#lib/server/mcp-sessions/index";
import { announceTools, type Tail, tailNotifications, toolsTopic } from "#lib/server/notifications/index";
import { createServer } from "./create-server";
import { type McpPost, onBodyEnd, type Register } from "./mcp-request";
import { type ClientMessage, jsonRpcError } from "./messages";
import { listTools } from "./registry";
import { requireTopic, uriOfTopic } from "./resource-uris";
import type { ToolContext } from "./tool-context";
import { toolJsonSchema } from "./tool-schema";

/** Lifetime of a stream of notifications, in milliseconds. Its client opens another one. */
export const subscriptionLifeMs = hourMs;

async function hashOfTools(): Promise<string> {
  const tools = await listTools("stateless", "pro");
  const parts = tools.map(({ tier, tool: { name, title, description, input, output } }) => {
    return [tier, name, title, description, toolJsonSchema(input, "input"), toolJsonSchema(output, "output")];
  });
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const announcement = () =>
  processSingleton<{ attempt: Promise<void> | null }>("mcpToolsAnnounced", () => ({ attempt: null }));

/**
 * Notifies clients if this deployment changed the list of tools. Runs once per process, at its first session or stream.
 * Throws AppError service_unavailable if the database does not answer.
 */
export async function announceToolsOnce(context: ToolContext): Promise<void> {
  const state = announcement();
  const announce = async () => announceTools(context, { name: "mcp", hash: await hashOfTools() });
  state.attempt ??= announce().catch((error) => {
    state.attempt = null;
    // The request itself needs the database too, and would wait for it once more.
    if (error instanceof AppError) throw error;
    context.log.warn({ err: error }, "could not announce the list of tools");
  });
  await state.attempt;
}

/** Passes notifications to every open stream of this process. Reads the log only while there are streams. */
class NotificationBus implements ServerEventBus {
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  #openingCount = 0;
  #tail: Tail | undefined;

  /**
   * Opens a stream with `open` once the log is being followed, so that the stream misses nothing. Throws what reading
   * the log throws.
   */
  async opening<T>({ database, log }: ToolContext, open: () => Promise<T>): Promise<T> {
    this.#openingCount += 1;
    try {
      this.#tail ??= tailNotifications({ database, log, onTopic: (topic) => this.#publishTopic(topic) });
      await this.#untilFollowed(this.#tail);
      return await open();
    } finally {
      this.#openingCount -= 1;
      this.#stopIfUnused();
    }
  }

  /** A log that could not be read is not used for the next stream. */
  async #untilFollowed(tail: Tail): Promise<void> {
    try {
      await tail.ready;
    } catch (error) {
      if (this.#tail === tail) this.#tail = undefined;
      throw error;
    }
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#stopIfUnused();
    };
  }

  #stopIfUnused(): void {
    if (this.#listeners.size + this.#openingCount > 0) return;
    this.#tail?.stop();
    this.#tail = undefined;
  }

  #publishTopic(topic: string): void {
    const uri = uriOfTopic(topic);
    if (topic === toolsTopic) this.publish({ kind: "tools_list_changed" });
    else if (uri) this.publish({ kind: "resource_updated", uri });
  }
}

const bus = processSingleton("mcpNotificationBus", () => new NotificationBus());

/** Serves one request of revision 2026-07-28, which has no sessions, or a stream of notifications. */
export function serveModern(register: Register, request: Request, message: ClientMessage): Promise<Response> {
  const handler = createMcpHandler(() => createServer(register, { hasStreams: true }), {
    legacy: "reject",
    bus,
    // `listen` bounds them, with a proper HTTP error.
    maxSubscriptions: Number.POSITIVE_INFINITY,
  });
  return handler.fetch(request, { parsedBody: message });
}

type Requested = { resourceSubscriptions?: unknown };

/** Checks each resource that a client subscribes to. Throws ResourceNotFoundError. */
async function checkSubscriptions(context: ToolContext, { params }: ClientMessage): Promise<void> {
  const { resourceSubscriptions } = (params?.notifications ?? {}) as Requested;
  const requested = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  for (const uri of requested.slice(0, maxSubscriptionCount)) await requireTopic(context, String(uri));
}

function protocolCodeOf(error: unknown): number | null {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : null;
}

type Listening = Pick<McpPost, "message"> & { register: Register };

async function openListening(
  context: ToolContext,
  { message, register }: Listening,
  request: Request,
): Promise<Response> {
  try {
    await checkSubscriptions(context, message);
  } catch (error) {
    const code = protocolCodeOf(error);
    if (code === null) throw error;
    return Response.json(jsonRpcError(code, (error as Error).message, message.id ?? null));
  }
  await announceToolsOnce(context);
  return bus.opening(context, () => serveModern(register, request, message));
}

/**
 * Opens a stream of notifications (`subscriptions/listen`) that ends after `lifeMs` milliseconds, or returns the JSON-RPC
 * error that says why not. Throws AppError service_unavailable if too many streams are open.
 */
export async function listen(
  context: ToolContext,
  listening: Listening,
  request: Request,
  lifeMs = subscriptionLifeMs,
): Promise<Response> {
  const freeSlot = takeStreamSlot(context);
  const life = new AbortController();
  const end = () => {
    clearTimeout(timer);
    freeSlot();
    life.abort();
  };
  const timer = setTimeout(end, lifeMs);
  try {
    const limited = new Request(request, { signal: AbortSignal.any([request.signal, life.signal]) });
    return onBodyEnd(await openListening(context, listening, limited), end);
  } catch (error) {
    end();
    throw error;
  }
}
