import { endSession } from "#lib/server/mcp-sessions/index";
import { announceToolsOnce } from "../announce-tools";
import { isLegacy } from "../is-legacy";
import type { ClientMessage } from "../messages";
import type { ToolContext } from "../registry";
import { answerLegacy, sessionHeader } from "./answer-legacy";
import { answerModern } from "./answer-modern";
import { openNotificationStream } from "./notification-stream";
import { requireSession } from "./require-session";

type SessionPost = { headers: Headers; message: ClientMessage; signal: AbortSignal };

/** Passes one checked message to the MCP server with sessions and gives its answer, which may be an event stream. */
export async function answerSessionPost(
  context: ToolContext,
  { headers: given, message, signal }: SessionPost,
): Promise<Response> {
  const headers = new Headers(given);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const request = new Request(`${context.origin}/api/mcp/v2`, { method: "POST", headers, signal });
  if (message.method === "initialize") await announceToolsOnce(context);
  if (!isLegacy(headers, message)) return answerModern(context, { request, message });
  const opensSession = message.method === "initialize";
  const session = opensSession ? null : await requireSession(context, headers.get(sessionHeader));
  return answerLegacy(context, { request, message, session });
}

/** The event stream of a session's notifications. */
export async function streamSession(context: ToolContext, headers: Headers): Promise<ReadableStream<Uint8Array>> {
  const session = await requireSession(context, headers.get(sessionHeader));
  return openNotificationStream(context, session, headers.get("last-event-id"));
}

/** Ends the session that a request names. */
export async function deleteSession(context: ToolContext, headers: Headers): Promise<void> {
  await endSession(context, await requireSession(context, headers.get(sessionHeader)));
}
