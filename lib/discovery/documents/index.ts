export { agentsJson, aiCatalog, registryServer, serverCard, supportedProtocolVersions } from "./agent-documents";
export { robotsTxt, securityTxt } from "./crawler-files";
export {
  defineDocument,
  documentEndpoints,
  getAgentsJsonEndpoint,
  getAiCatalogEndpoint,
  getRegistryServerEndpoint,
  getRobotsTxtEndpoint,
  getSecurityTxtEndpoint,
  getServerCardEndpoint,
  text,
} from "./endpoints";
export { type SiteContext, summary } from "./site-context";
export { pageHead, sitePages } from "./site-pages";
