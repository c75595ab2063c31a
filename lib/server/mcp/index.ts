export {
  callMcpEndpoint,
  callMcpSessionEndpoint,
  deleteMcpSessionEndpoint,
  getMcpIdentityEndpoint,
  mcpEndpoints,
  streamMcpSessionEndpoint,
} from "./endpoints";
export type { ToolContext } from "./tool-context";
export { answerMcpPost, answerMcpSessionPost, deleteMcpSession, identifyMcp, streamMcpSession } from "./verbs";
