export { getChangelog, loadChangelog } from "./changelog";
export {
  contentEndpoints,
  docsMarkdownEndpoint,
  getChangelogEndpoint,
  getLlmsFullTxtEndpoint,
  getLlmsTxtEndpoint,
  getSitemapEndpoint,
} from "./endpoints";
export { type CodeToken, copiedCode, highlightCode } from "./highlight";
export { getLlmsFullTxt, getLlmsTxt } from "./llms-txt";
export {
  findNeighbours,
  findPage,
  listDocsSections,
  loadPages,
  type Page,
  pageMarkdown,
  pagePath,
  rawPagePath,
} from "./pages";
export { renderPage, textOf, treeWithOrigin } from "./render-page";
export { getSitemap } from "./sitemap";
export { contentTools, type GuideToolContext } from "./tools";
