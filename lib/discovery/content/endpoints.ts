import { z } from "zod";
import { defineEndpoint } from "#lib/contract/endpoint";
import { examples } from "./site-documents/examples";
import { agentsJsonSchema, aiCatalogSchema, registryServerSchema, serverCardSchema } from "./site-documents/schemas";

type Document = { id: string; path: string; summary: string; description: string };
type Body = { type: string; schema: z.ZodType; example: unknown };

/** Declares a public document: one response, no input, and no errors of its own. */
function defineDocument(document: Document, body: Body) {
  const responses = { 200: { description: "The document.", body } };
  return defineEndpoint({ ...document, method: "GET", tag: "Discovery", auth: "none", responses, errors: {} });
}

const text = (example: string, type = "text/plain"): Body => ({ type, schema: z.string(), example });

export const getLlmsTxtEndpoint = defineDocument(
  {
    id: "getLlmsTxt",
    path: "/llms.txt",
    summary: "Get llms.txt",
    description: "Describes the site for models, with links to its cassettes, interfaces and pages, in markdown.",
  },
  text(examples.llmsTxt),
);

export const getLlmsFullTxtEndpoint = defineDocument(
  {
    id: "getLlmsFullTxt",
    path: "/llms-full.txt",
    summary: "Get llms-full.txt",
    description: "The markdown of all documentation pages in one file, each with its URL.",
  },
  text(examples.llmsFullTxt),
);

export const getAgentsJsonEndpoint = defineDocument(
  {
    id: "getAgentsJson",
    path: "/.well-known/agents.json",
    summary: "Get agents.json",
    description: "What agents can do on this site, with URLs.",
  },
  { type: "application/json", schema: agentsJsonSchema, example: examples.agentsJson },
);

export const getServerCardEndpoint = defineDocument(
  {
    id: "getServerCard",
    path: "/.well-known/mcp/server-card.json",
    summary: "Get the MCP server card",
    description: "The identity, URLs and supported protocol versions of the MCP server (SEP-2127).",
  },
  { type: "application/mcp-server-card+json", schema: serverCardSchema, example: examples.serverCard },
);

export const getAiCatalogEndpoint = defineDocument(
  {
    id: "getAiCatalog",
    path: "/.well-known/ai-catalog.json",
    summary: "Get the AI catalog",
    description: "The site's artifacts for agents, each with its type and URL.",
  },
  { type: "application/ai-catalog+json", schema: aiCatalogSchema, example: examples.aiCatalog },
);

export const getRegistryServerEndpoint = defineDocument(
  {
    id: "getRegistryServer",
    path: "/server.json",
    summary: "Get server.json",
    description: "The MCP server in the format of the official MCP registry.",
  },
  { type: "application/json", schema: registryServerSchema, example: examples.registryServer },
);

export const getRobotsTxtEndpoint = defineDocument(
  {
    id: "getRobotsTxt",
    path: "/robots.txt",
    summary: "Get robots.txt",
    description: "Tells crawlers what they may read: everything except paths that change state or are private.",
  },
  text(examples.robotsTxt),
);

export const getSitemapEndpoint = defineDocument(
  {
    id: "getSitemap",
    path: "/sitemap.xml",
    summary: "Get the sitemap",
    description: "The site's HTML pages.",
  },
  text(examples.sitemap, "application/xml"),
);

export const getSecurityTxtEndpoint = defineDocument(
  {
    id: "getSecurityTxt",
    path: "/.well-known/security.txt",
    summary: "Get security.txt",
    description: "Where to report a vulnerability (RFC 9116).",
  },
  text(examples.securityTxt),
);

export const contentEndpoints = [
  getLlmsTxtEndpoint,
  getLlmsFullTxtEndpoint,
  getAgentsJsonEndpoint,
  getServerCardEndpoint,
  getAiCatalogEndpoint,
  getRegistryServerEndpoint,
  getRobotsTxtEndpoint,
  getSitemapEndpoint,
  getSecurityTxtEndpoint,
];
