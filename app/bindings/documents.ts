import {
  agentsJson,
  aiCatalog,
  getAgentsJsonEndpoint,
  getAiCatalogEndpoint,
  getRegistryServerEndpoint,
  getRobotsTxtEndpoint,
  getSecurityTxtEndpoint,
  getServerCardEndpoint,
  registryServer,
  robotsTxt,
  securityTxt,
  serverCard,
} from "#lib/discovery/documents/index";
import { bind } from "#lib/server/http/bindings";
import { jsonReply, textReply } from "#lib/server/http/reply";

const plainText = "text/plain; charset=utf-8";

export const bindings = [
  bind(getRobotsTxtEndpoint, (context) => textReply(robotsTxt(context), plainText)),
  bind(getSecurityTxtEndpoint, (context) => textReply(securityTxt(context), plainText)),
  bind(getAgentsJsonEndpoint, agentsJson),
  bind(getAiCatalogEndpoint, (context) =>
    jsonReply(aiCatalog(context), 200, { "Content-Type": "application/ai-catalog+json" }),
  ),
  bind(getServerCardEndpoint, (context) =>
    jsonReply(serverCard(context), 200, { "Content-Type": "application/mcp-server-card+json" }),
  ),
  bind(getRegistryServerEndpoint, registryServer),
];
