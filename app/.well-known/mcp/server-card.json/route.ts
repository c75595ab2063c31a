import { getServerCardEndpoint, serverCard } from "#lib/discovery/content/index";
import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

const headers = { "Content-Type": "application/mcp-server-card+json" };

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getServerCardEndpoint, (context) => jsonReply(serverCard(context), 200, headers)),
);
