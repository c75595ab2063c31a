export { agentsJson } from "./discovery/agents-json";
export { getSitemap, robotsTxt } from "./discovery/crawler-files";
export { getLlmsFullTxt, getLlmsTxt } from "./discovery/llms-txt";
export { aiCatalog, registryServer, serverCard, supportedProtocolVersions } from "./discovery/mcp-documents";
export { securityTxt } from "./discovery/security-txt";
export { type DocsLink, type DocsSection, findNeighbours, listDocsSections } from "./docs-order";
export {
  contentEndpoints,
  getAgentsJsonEndpoint,
  getAiCatalogEndpoint,
  getLlmsFullTxtEndpoint,
  getLlmsTxtEndpoint,
  getRegistryServerEndpoint,
  getRobotsTxtEndpoint,
  getSecurityTxtEndpoint,
  getServerCardEndpoint,
  getSitemapEndpoint,
} from "./endpoints";
export { type CodeToken, copiedCode, highlightCode, type TokenKind } from "./highlight";
export { textOf } from "./highlight-blocks";
export { findPage, loadPages, type Page } from "./load-pages";
export { pageMarkdown, pagePath, rawPagePath } from "./page-markdown";
export { type Heading, renderPage } from "./render-page";
export { contentTools, type GuideToolContext } from "./tools";
