import { z } from "zod";
import { defineEndpoint } from "#lib/contract/endpoint";
import { examples } from "./site-documents/examples";
import { agentsJsonSchema, aiCatalogSchema, registryServerSchema, serverCardSchema } from "./site-documents/schemas";

type Document = { id: string; path: string; summary: string; description: string };
type Body = { type: string; schema: z.ZodType; example: unknown };

/** A document that anyone may get: one answer, no input, no error of its own. */
function defineDocument(document: Document, body: Body) {
  const answers = { 200: { description: "The document.", body } };
  return defineEndpoint({ ...document, method: "GET", tag: "Discovery", auth: "none", answers, errors: {} });
}

const text = (example: string, type = "text/plain"): Body => ({ type, schema: z.string(), example });

export const getLlmsTxtEndpoint = defineDocument(
  {
    id: "getLlmsTxt",
    path: "/llms.txt",
    summary: "Get llms.txt",
    description: "What the site is and where its cassettes, interfaces and pages stand, in markdown for models.",
  },
  text(examples.llmsTxt),
);

export const getLlmsFullTxtEndpoint = defineDocument(
  {
    id: "getLlmsFullTxt",
    path: "/llms-full.txt",
    summary: "Get llms-full.txt",
    description: "The markdown of every page of the docs in one file, each below its address.",
  },
  text(examples.llmsFullTxt),
);

export const getAgentsJsonEndpoint = defineDocument(
  {
    id: "getAgentsJson",
    path: "/.well-known/agents.json",
    summary: "Get agents.json",
    description: "What an agent can do at this site, and where.",
  },
  { type: "application/json", schema: agentsJsonSchema, example: examples.agentsJson },
);

export const getServerCardEndpoint = defineDocument(
  {
    id: "getServerCard",
    path: "/.well-known/mcp/server-card.json",
    summary: "Get the MCP server card",
    description:
      "What the MCP server is, where it is reached, and which revisions of the protocol it speaks (SEP-2127).",
  },
  { type: "application/mcp-server-card+json", schema: serverCardSchema, example: examples.serverCard },
);

export const getAiCatalogEndpoint = defineDocument(
  {
    id: "getAiCatalog",
    path: "/.well-known/ai-catalog.json",
    summary: "Get the AI catalog",
    description: "The site's artifacts for agents, each with its type and address.",
  },
  { type: "application/ai-catalog+json", schema: aiCatalogSchema, example: examples.aiCatalog },
);

export const getRegistryServerEndpoint = defineDocument(
  {
    id: "getRegistryServer",
    path: "/server.json",
    summary: "Get server.json",
    description: "The MCP server in the form that the official MCP registry takes.",
  },
  { type: "application/json", schema: registryServerSchema, example: examples.registryServer },
);

export const getRobotsTxtEndpoint = defineDocument(
  {
    id: "getRobotsTxt",
    path: "/robots.txt",
    summary: "Get robots.txt",
    description: "What crawlers may read: everything but the paths that only change something.",
  },
  text(examples.robotsTxt),
);

export const getSitemapEndpoint = defineDocument(
  {
    id: "getSitemap",
    path: "/sitemap.xml",
    summary: "Get the sitemap",
    description: "The pages for people.",
  },
  text(examples.sitemap, "application/xml"),
);

export const getSecurityTxtEndpoint = defineDocument(
  {
    id: "getSecurityTxt",
    path: "/.well-known/security.txt",
    summary: "Get security.txt",
    description: "Where to report a weakness (RFC 9116).",
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
