import { answerMcpSessionPost, deleteMcpSession, streamMcpSession } from "#lib/server/http/mcp-verbs";
import { handle, routes } from "#lib/server/http/route";
import { callMcpSessionEndpoint, deleteMcpSessionEndpoint, streamMcpSessionEndpoint } from "#lib/server/mcp/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(streamMcpSessionEndpoint, streamMcpSession),
  handle(callMcpSessionEndpoint, answerMcpSessionPost),
  handle(deleteMcpSessionEndpoint, deleteMcpSession),
);
