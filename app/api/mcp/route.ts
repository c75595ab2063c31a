import { answerMcpPost, identifyMcp } from "#lib/server/http/mcp-verbs";
import { handle, routes } from "#lib/server/http/route";
import { callMcpEndpoint, getMcpIdentityEndpoint } from "#lib/server/mcp/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getMcpIdentityEndpoint, identifyMcp),
  handle(callMcpEndpoint, answerMcpPost),
);
