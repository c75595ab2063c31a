import { sites } from "#lib/contract/sites";
import { defineDocument, text } from "#lib/discovery/documents/index";
import { writeLlmsFullTxt, writeLlmsTxt } from "./llms-txt";
import { writeSitemap } from "./sitemap";

const origin = "http://127.0.0.1:3000";
const empty = { origin, site: sites[0], pages: [], cassettes: [] };

export const getLlmsTxtEndpoint = defineDocument(
  {
    id: "getLlmsTxt",
    path: "/llms.txt",
    summary: "Get llms.txt",
    description: "Describes the site for models, with links to its cassettes, interfaces and pages, in markdown.",
  },
  text(writeLlmsTxt(empty)),
);

export const getLlmsFullTxtEndpoint = defineDocument(
  {
    id: "getLlmsFullTxt",
    path: "/llms-full.txt",
    summary: "Get llms-full.txt",
    description: "The markdown of all documentation pages in one file, each with its URL.",
  },
  text(writeLlmsFullTxt(empty)),
);

export const getChangelogEndpoint = defineDocument(
  {
    id: "getChangelog",
    path: "/changelog.md",
    summary: "Get the changelog",
    description: "What changed in each version, as markdown. The page `/changelog` shows it.",
  },
  text("# Changelog\n\n## 1.0.0\n", "text/markdown"),
);

export const getSitemapEndpoint = defineDocument(
  { id: "getSitemap", path: "/sitemap.xml", summary: "Get the sitemap", description: "The site's HTML pages." },
  text(writeSitemap([{ url: `${origin}/` }]), "application/xml"),
);

/** Answers for every page; the OpenAPI document does not list it. */
export const docsMarkdownEndpoint = defineDocument(
  {
    id: "getDocsMarkdown",
    path: "/docs/{page}.md",
    summary: "Get a page",
    description: "A page of the docs as markdown.",
  },
  text("# Replay\n", "text/markdown"),
);

export const contentEndpoints = [getLlmsTxtEndpoint, getLlmsFullTxtEndpoint, getChangelogEndpoint, getSitemapEndpoint];
