export { agentsJson, llmsTxt } from "./discovery";
export { contentEndpoints, getAgentsJsonEndpoint, getLlmsTxtEndpoint } from "./endpoints";
export { findPage, loadPages, type Page } from "./load-pages";
export { type Heading, renderPage } from "./render-page";
