import type { McpServer } from "@modelcontextprotocol/server";
import { type Session, subscribe, unsubscribe } from "#lib/sessions/index";
import { isFixtureUri } from "../conformance/index";
import type { ToolContext } from "../registry";
import { requireTopic } from "../server/require-topic";
import { topicOfUri } from "../server/uris";

/** Lets a session subscribe to vendors' files; its stream brings what changes. */
export function handleSubscriptions({ server }: McpServer, context: ToolContext, session: Session): void {
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (!isFixtureUri(uri)) await subscribe(context, session, await requireTopic(context, uri));
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    const topic = topicOfUri(uri);
    if (topic) await unsubscribe(context, session, topic);
    return {};
  });
}
