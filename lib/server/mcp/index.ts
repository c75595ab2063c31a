export { answerStateless, mcpIdentity } from "./answer-stateless";
export {
  callMcpEndpoint,
  callMcpSessionEndpoint,
  deleteMcpSessionEndpoint,
  getMcpIdentityEndpoint,
  mcpEndpoints,
  streamMcpSessionEndpoint,
} from "./endpoints";
export { isAllowedOrigin } from "./is-allowed-origin";
export { type ClientMessage, readMessage } from "./messages";
export { listTools, type ToolContext } from "./registry";
export { answerSessionPost, deleteSession, streamSession } from "./v2/answer-session";
