import { AppError } from "#lib/platform/errors";
import { openStream, type Session, type TopicChange } from "#lib/server/mcp-sessions/index";
import { toolsTopic } from "#lib/server/notifications/index";
import { uriOfTopic } from "./resource-uris";
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
export async function openNotificationStream(
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
  if (!close) throw new AppError("not_found", "This session has ended. Open another one with initialize.");
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
