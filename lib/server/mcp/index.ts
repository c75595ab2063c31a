export { isAllowedOrigin } from "./allowed-origin";
export {
  callMcpEndpoint,
  callMcpSessionEndpoint,
  deleteMcpSessionEndpoint,
  getMcpIdentityEndpoint,
  mcpEndpoints,
  streamMcpSessionEndpoint,
} from "./endpoints";
export { installConformanceExtension } from "./extension";
export { type ClientMessage, readMessage } from "./messages";
export { listTools } from "./registry";
export { answerSessionPost, deleteSession, streamSession } from "./session-endpoint";
export { answerStateless, mcpIdentity } from "./stateless-endpoint";
export type { ToolContext } from "./tool-context";
