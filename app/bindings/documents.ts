import * as documents from "#lib/discovery/documents/index";
import { bind } from "#lib/server/http/bindings";

export const bindings = [
  bind(documents.getRobotsTxtEndpoint, documents.robotsTxt),
  bind(documents.getSecurityTxtEndpoint, (context) => documents.securityTxt(context)),
  bind(documents.getAgentsJsonEndpoint, documents.agentsJson),
  bind(documents.getAiCatalogEndpoint, documents.aiCatalog),
  bind(documents.getServerCardEndpoint, documents.serverCard),
  bind(documents.getRegistryServerEndpoint, documents.registryServer),
];
