export { getChangelog, loadChangelog } from "./changelog";
export {
  contentEndpoints,
  getAgentsJsonEndpoint,
  getAiCatalogEndpoint,
  getChangelogEndpoint,
  getLlmsFullTxtEndpoint,
  getLlmsTxtEndpoint,
  getRegistryServerEndpoint,
  getRobotsTxtEndpoint,
  getSecurityTxtEndpoint,
  getServerCardEndpoint,
  getSitemapEndpoint,
} from "./endpoints";
export { type CodeToken, copiedCode, highlightCode } from "./highlight";
export {
  type DocsLink,
  findNeighbours,
  findPage,
  listDocsSections,
  loadPages,
  type Page,
  pageMarkdown,
  pagePath,
  rawPagePath,
} from "./pages";
export { type Heading, renderPage, textOf, treeWithOrigin } from "./render-page";
export {
  agentsJson,
  aiCatalog,
  registryServer,
  serverCard,
  supportedProtocolVersions,
} from "./site-documents/agent-documents";
export { getSitemap, robotsTxt, securityTxt } from "./site-documents/crawler-files";
export { getLlmsFullTxt, getLlmsTxt } from "./site-documents/llms-txt";
export { contentTools, type GuideToolContext } from "./tools";
