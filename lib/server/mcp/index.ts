export {
  callMcpEndpoint,
  callMcpSessionEndpoint,
  deleteMcpSessionEndpoint,
  getMcpIdentityEndpoint,
  mcpEndpoints,
  streamMcpSessionEndpoint,
} from "./endpoints";
export { answerMcpPost, answerMcpSessionPost, deleteMcpSession, identifyMcp, streamMcpSession } from "./verbs";
