import * as documents from "#lib/discovery/documents/index";
import { bind } from "#lib/server/http/bindings";
import { jsonReply, textReply } from "#lib/server/http/reply";

const plainText = "text/plain; charset=utf-8";

export const bindings = [
  bind(documents.getRobotsTxtEndpoint, (context) => textReply(documents.robotsTxt(context), plainText)),
  bind(documents.getSecurityTxtEndpoint, (context) => textReply(documents.securityTxt(context), plainText)),
  bind(documents.getAgentsJsonEndpoint, documents.agentsJson),
  bind(documents.getAiCatalogEndpoint, (context) =>
    jsonReply(documents.aiCatalog(context), 200, { "Content-Type": "application/ai-catalog+json" }),
  ),
  bind(documents.getServerCardEndpoint, (context) =>
    jsonReply(documents.serverCard(context), 200, { "Content-Type": "application/mcp-server-card+json" }),
  ),
  bind(documents.getRegistryServerEndpoint, documents.registryServer),
];
