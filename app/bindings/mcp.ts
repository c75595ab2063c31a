import { bindWith } from "#lib/server/http/bindings";
import {
  answerMcpPost,
  answerMcpSessionPost,
  callMcpEndpoint,
  callMcpSessionEndpoint,
  deleteMcpSession,
  deleteMcpSessionEndpoint,
  getMcpIdentityEndpoint,
  identifyMcp,
  streamMcpSession,
  streamMcpSessionEndpoint,
} from "#lib/server/mcp/index";
import { withProducts } from "#lib/server/products";

const bind = bindWith(withProducts);

export const bindings = [
  bind(callMcpEndpoint, answerMcpPost),
  bind(getMcpIdentityEndpoint, identifyMcp),
  bind(callMcpSessionEndpoint, answerMcpSessionPost),
  bind(streamMcpSessionEndpoint, streamMcpSession),
  bind(deleteMcpSessionEndpoint, deleteMcpSession),
];
