import { isInitializeRequest, type McpServer, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { AppError } from "#lib/platform/errors";
import {
  deleteSession,
  deleteSubscription,
  findSession,
  openSession,
  openStream,
  type Session,
  sessionEnded,
  subscribe,
  type TopicChange,
} from "#lib/server/mcp-sessions/index";
import { toolsTopic } from "#lib/server/notifications/index";
import { serveLegacy } from "./answer-plainly";
import { answerRequest, createServer } from "./create-server";
import { isLegacy, type McpAnswer, type McpPost, mcpExtension, toWebRequest, withRequestTimeout } from "./mcp-request";
import type { ClientMessage } from "./messages";
import { withClientErrors } from "./protocol-errors";
import { requireTopic, topicOfUri, uriOfTopic } from "./resource-uris";
import { announceToolsOnce, listen, serveModern } from "./subscription-streams";
import type { ToolContext } from "./tool-context";

/** Lifetime of a stream, in milliseconds, shorter than hosts' request timeouts. Clients reconnect and resume. */
export const streamLifeMs = 270_000;
const keepAliveMs = 15_000;
/** How long clients wait before they reconnect, in milliseconds. */
const retryMs = 1_000;
/** Maximum events buffered for a client that does not read. With more, the stream ends; the client can resume. */
export const maxBufferedCount = 256;

/** First revision whose clients accept an event without data, from which they learn where to resume. */
const primingRevision = "2025-11-25";

function notificationOf(topic: string): object | null {
  if (topic === toolsTopic) return { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const uri = uriOfTopic(topic);
  return uri === null ? null : { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
}

function eventOf({ id, topic }: TopicChange): string {
  const notification = notificationOf(topic);
  return notification === null ? "" : `event: message\nid: ${id}\ndata: ${JSON.stringify(notification)}\n\n`;
}

function positionOf(lastEventId: string | null): bigint | null {
  return lastEventId !== null && /^\d{1,18}$/.test(lastEventId) ? BigInt(lastEventId) : null;
}

function opening({ protocolVersion }: Session, receivedUpTo: bigint | null): string {
  const priming = receivedUpTo !== null && protocolVersion >= primingRevision ? `id: ${receivedUpTo}\ndata: \n` : "";
  return `retry: ${retryMs}\n${priming}\n`;
}

/**
 * Opens the stream of a session's notifications, starting after `lastEventId`. Throws AppError not_found if the session
 * has ended, and service_unavailable if too many streams are open.
 */
async function openNotificationStream(
  context: ToolContext,
  session: Session,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const receivedUpTo = positionOf(lastEventId);
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let end: () => void = () => undefined;
  const write = (text: string) => {
    if (text === "" || !controller) return;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) <= 0) end();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      cancel: () => {
        controller = undefined;
        end();
      },
    },
    new CountQueuingStrategy({ highWaterMark: maxBufferedCount }),
  );
  write(opening(session, receivedUpTo));
  const listener = { onChange: (change: TopicChange) => write(eventOf(change)), onEnd: () => end() };
  const close = await openStream(context, session, { receivedUpTo, ...listener });
  if (!close) throw sessionEnded();
  const keepAlive = setInterval(() => write(": keep-alive\n\n"), keepAliveMs);
  const life = setTimeout(() => end(), streamLifeMs);
  end = () => {
    close();
    clearInterval(keepAlive);
    clearTimeout(life);
    const open = controller;
    controller = undefined;
    open?.close();
  };
  return stream;
}

const sessionHeader = "mcp-session-id";
const path = "/api/mcp/v2";

/** Returns the caller's session that a request names. Throws AppError bad_request without the header, else not_found. */
async function requireSession(context: ToolContext, header: McpPost["header"]): Promise<Session> {
  const id = header(sessionHeader);
  if (id === null) {
    throw new AppError(
      "bad_request",
      "This needs the header Mcp-Session-Id. Open a session with initialize, or use /api/mcp, which needs none.",
    );
  }
  const session = await findSession(context, id);
  if (session) return session;
  throw sessionEnded();
}

/** Handles subscriptions to vendors' files. The session's stream sends the notifications. */
function handleSubscriptions({ server }: McpServer, context: ToolContext, session: Session): void {
  type Request = { params: { uri: string } };
  const handle = (method: "resources/subscribe" | "resources/unsubscribe", change: (uri: string) => Promise<void>) =>
    server.setRequestHandler(
      method,
      withClientErrors(context, method, async ({ params: { uri } }: Request) => {
        await change(uri);
        return {};
      }),
    );
  handle("resources/subscribe", async (uri) => {
    if (!mcpExtension().isSubscribable(uri)) await subscribe(context, session, await requireTopic(context, uri));
  });
  handle("resources/unsubscribe", async (uri) => {
    const topic = topicOfUri(uri);
    if (topic) await deleteSubscription(context.database, session.id, topic);
  });
}

/** The revision that the server will use: the one the client asks for, if it is supported. */
function negotiate(requested: string): string {
  const [latest] = SUPPORTED_PROTOCOL_VERSIONS as [string, ...string[]];
  return SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : latest;
}

async function openSessionFor(context: ToolContext, message: ClientMessage): Promise<Session | null> {
  if (!isInitializeRequest(message)) return null;
  return openSession(context, negotiate(message.params.protocolVersion));
}

/** Answers a message of a revision with sessions: within its session, or opening one. */
async function answerLegacy(context: ToolContext, post: McpPost, session: Session | null): Promise<McpAnswer> {
  const { message, refusal } = post;
  if (message.method === undefined && session) {
    mcpExtension().onResponse?.(message);
    return { status: 202 };
  }
  return answerRequest({ route: "sessions", context, message, refusal, isLegacy: true }, async (register) => {
    const server = createServer(register, { hasStreams: true });
    if (session && message.method?.startsWith("resources/")) handleSubscriptions(server, context, session);
    const opened = await openSessionFor(context, message);
    const answer = await withRequestTimeout(message, (timeout) =>
      serveLegacy(server, { context, post, session: session ?? opened, timeout }),
    );
    if (!opened) return answer;
    if (!(answer instanceof Response)) return { ...answer, sessionId: opened.id };
    answer.headers.set(sessionHeader, opened.id);
    return answer;
  });
}

/** Answers a request of revision 2026-07-28, which has no sessions. */
async function answerModern(context: ToolContext, post: McpPost): Promise<Response> {
  const { message, refusal } = post;
  const request = (signal: AbortSignal) =>
    toWebRequest(post, { origin: context.origin, path, signal, acceptsBoth: false });
  return answerRequest({ route: "sessions", context, message, refusal, isLegacy: false }, (register) => {
    if (message.method === "subscriptions/listen")
      return listen(context, { message, register }, request(post.signal()));
    return withRequestTimeout(message, ({ signal }) =>
      serveModern(register, request(AbortSignal.any([post.signal(), signal])), message),
    );
  });
}

/** Answers one message at `/api/mcp/v2`. The answer may be an event stream. */
export async function answerSessionPost(context: ToolContext, post: McpPost): Promise<McpAnswer> {
  const opensSession = post.message.method === "initialize";
  if (opensSession) await announceToolsOnce(context);
  if (!isLegacy(post)) return answerModern(context, post);
  return answerLegacy(context, post, opensSession ? null : await requireSession(context, post.header));
}

/** Opens the event stream of a session's notifications. */
export async function streamSession(
  context: ToolContext,
  header: McpPost["header"],
): Promise<ReadableStream<Uint8Array>> {
  const session = await requireSession(context, header);
  return openNotificationStream(context, session, header("last-event-id"));
}

/** Ends the session that a request names. */
export async function endSession(context: ToolContext, header: McpPost["header"]): Promise<void> {
  const { id } = await requireSession(context, header);
  await deleteSession(context.database, id);
}
