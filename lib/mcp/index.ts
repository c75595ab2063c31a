export { answerMcp, checkMessage, mcpIdentity } from "./answer-mcp";
export { callMcpEndpoint, getMcpIdentityEndpoint, mcpEndpoints } from "./endpoints";
export { tools } from "./register-tools";
