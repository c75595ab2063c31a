import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { AppError } from "#lib/platform/errors";
import { type Session, subscribe, unsubscribe } from "#lib/server/mcp-sessions/index";
import type { Topic } from "#lib/server/notifications/index";
import { isFixtureUri } from "../conformance/index";
import type { ToolContext } from "../registry";
import { requireTopic } from "../server/require-topic";
import { topicOfUri } from "../server/uris";

/** Throws ProtocolError where the session has too many already: of other errors the SDK would only say "internal". */
async function subscribeTo(context: ToolContext, session: Session, topic: Topic): Promise<void> {
  try {
    await subscribe(context, session, topic);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
  }
}

/** Lets a session subscribe to vendors' files; its stream brings what changes. */
export function handleSubscriptions({ server }: McpServer, context: ToolContext, session: Session): void {
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (!isFixtureUri(uri)) await subscribeTo(context, session, await requireTopic(context, uri));
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    const topic = topicOfUri(uri);
    if (topic) await unsubscribe(context, session, topic);
    return {};
  });
}
