import { AppError } from "#lib/platform/errors";
import { type Arrival, openStream, type Session } from "#lib/server/mcp-sessions/index";
import { toolsTopic } from "#lib/server/notifications/index";
import type { ToolContext } from "../registry";
import { uriOfTopic } from "../server/uris";

/** How long a stream stays open, in milliseconds; clients come back and go on. Shorter than hosts let a request last. */
export const streamLifeMs = 270_000;
const keepAliveMs = 15_000;
/** What clients wait before they come back, in milliseconds. */
const retryMs = 1_000;
/** Most events that wait for a client who does not read; the stream then ends, and goes on when the client comes back. */
const maxWaitingCount = 256;

/** First revision whose clients read an event without data, which tells them where to resume. */
const primingSince = "2025-11-25";

function notificationOf(topic: string): object | null {
  if (topic === toolsTopic) return { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const uri = uriOfTopic(topic);
  return uri === null ? null : { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
}

function eventOf({ id, topic }: Arrival): string {
  const notification = notificationOf(topic);
  return notification === null ? "" : `event: message\nid: ${id}\ndata: ${JSON.stringify(notification)}\n\n`;
}

function positionOf(lastEventId: string | null): bigint | null {
  return lastEventId !== null && /^\d{1,18}$/.test(lastEventId) ? BigInt(lastEventId) : null;
}

function opening({ protocolVersion }: Session, arrivedUpTo: bigint | null): string {
  const priming = arrivedUpTo !== null && protocolVersion >= primingSince ? `id: ${arrivedUpTo}\ndata: \n` : "";
  return `retry: ${retryMs}\n${priming}\n`;
}

/**
 * The stream of a session's notifications, from the one after `lastEventId` on. Throws AppError not_found where the
 * session has ended, and service_unavailable where too many streams are open.
 */
export async function openNotificationStream(
  context: ToolContext,
  session: Session,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const arrivedUpTo = positionOf(lastEventId);
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
    new CountQueuingStrategy({ highWaterMark: maxWaitingCount }),
  );
  write(opening(session, arrivedUpTo));
  const listener = { onArrival: (arrival: Arrival) => write(eventOf(arrival)), onEnd: () => end() };
  const close = await openStream(context, session, { arrivedUpTo, ...listener });
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
