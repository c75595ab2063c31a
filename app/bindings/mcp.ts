import { bindWith } from "#lib/server/http/bindings";
import * as mcp from "#lib/server/mcp/index";
import { withProducts } from "#lib/server/products";

const bind = bindWith(withProducts);

export const bindings = [
  bind(mcp.callMcpEndpoint, mcp.answerMcpPost),
  bind(mcp.getMcpIdentityEndpoint, mcp.identifyMcp),
  bind(mcp.callMcpSessionEndpoint, mcp.answerMcpSessionPost),
  bind(mcp.streamMcpSessionEndpoint, mcp.streamMcpSession),
  bind(mcp.deleteMcpSessionEndpoint, mcp.deleteMcpSession),
];
