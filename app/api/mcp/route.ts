import { answerMcpPost, identifyMcp } from "#lib/http/mcp-verbs";
import { handle, routes } from "#lib/http/route";
import { callMcpEndpoint, getMcpIdentityEndpoint } from "#lib/mcp/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getMcpIdentityEndpoint, identifyMcp),
  handle(callMcpEndpoint, answerMcpPost),
);
