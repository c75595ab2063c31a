import { serviceName, version } from "#lib/platform/version";
import {
  type AgentsJson,
  type AiCatalog,
  agentsJsonSchema,
  aiCatalogSchema,
  type RegistryServer,
  registryServerSchema,
  type ServerCard,
  serverCardSchema,
} from "./schemas";
import { publisherDomain, type SiteContext, summary } from "./site-context";

/** Returns the site's /.well-known/agents.json: what agents can do on the site, with URLs. */
export function agentsJson({ origin, site }: SiteContext): AgentsJson {
  return agentsJsonSchema.parse({
    name: site.display_name,
    description: `${site.tagline} ${summary}`,
    url: origin,
    vertical: site.vertical,
    auth: "none",
    documentation: `${origin}/docs`,
    llms_txt: `${origin}/llms.txt`,
    llms_full_txt: `${origin}/llms-full.txt`,
    openapi: `${origin}/openapi.json`,
    ai_catalog: `${origin}/.well-known/ai-catalog.json`,
    server_card: `${origin}/.well-known/mcp/server-card.json`,
    mcp: { url: `${origin}/api/mcp`, transport: "streamable-http", sessions: false },
    mcp_v2: { url: `${origin}/api/mcp/v2`, transport: "streamable-http", sessions: true },
    endpoints: {
      health: `${origin}/api/v1/health`,
      cassettes: `${origin}/api/v1/cassettes`,
      replay: `${origin}/api/v1/replay`,
      replay_random: `${origin}/api/v1/replay/random`,
      messages: `${origin}/v1/messages`,
      search: `${origin}/api/v1/search?q={q}`,
      fleet: `${origin}/api/v1/fleet`,
      feed: `${origin}/api/v1/feed`,
      vendors: `${origin}/api/v1/vendors`,
      vendor_search: `${origin}/api/v1/vendors/search?q={q}`,
      stats: `${origin}/api/v1/stats`,
      pricing: `${origin}/api/v1/pricing`,
    },
  });
}

/** Protocol versions that both MCP endpoints support, newest first. */
export const supportedProtocolVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const description = "Replay model streams from cassettes, search them, and read what vendors change in llms.txt files.";

/** Has no default value: a client without a key must omit the header, because an invalid key is rejected. */
const keyHeader = {
  name: "Authorization",
  description: "Optional: an API key for the starter or pro tier. Omit it for the free tier.",
  isRequired: false,
  isSecret: true,
  placeholder: "Bearer ltf_…",
};

function serverOf({ origin, site }: SiteContext) {
  return {
    name: `${publisherDomain(origin).split(".").reverse().join(".")}/${serviceName}`,
    title: site.display_name,
    description,
    version,
    websiteUrl: `${origin}/docs/mcp`,
  };
}

function remotesOf({ origin }: SiteContext) {
  const urls = [`${origin}/api/mcp`, `${origin}/api/mcp/v2`];
  return urls.map((url) => ({ type: "streamable-http", url, headers: [keyHeader] }));
}

/** Returns the site's /.well-known/mcp/server-card.json. */
export function serverCard(context: SiteContext): ServerCard {
  return serverCardSchema.parse({
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    ...serverOf(context),
    remotes: remotesOf(context).map((remote) => ({ ...remote, supportedProtocolVersions })),
  });
}

/** Returns the site's /server.json, which an operator submits to the MCP registry. */
export function registryServer(context: SiteContext): RegistryServer {
  return registryServerSchema.parse({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    ...serverOf(context),
    remotes: remotesOf(context),
  });
}

/** Returns the site's /.well-known/ai-catalog.json. */
export function aiCatalog({ origin, site }: SiteContext): AiCatalog {
  const domain = publisherDomain(origin);
  const identifier = (kind: string) => `urn:air:${domain}:${serviceName}:${kind}`;
  return aiCatalogSchema.parse({
    specVersion: "1.0",
    host: { displayName: site.display_name, identifier: domain, documentationUrl: `${origin}/docs` },
    entries: [
      {
        identifier: identifier("mcp"),
        displayName: `${site.display_name}: MCP server`,
        type: "application/mcp-server-card+json",
        url: `${origin}/.well-known/mcp/server-card.json`,
        description,
        tags: ["mcp", "replay", "llms-txt"],
      },
      {
        identifier: identifier("openapi"),
        displayName: `${site.display_name}: HTTP API`,
        type: "application/openapi+json",
        url: `${origin}/openapi.json`,
        description: "Every HTTP endpoint, as OpenAPI 3.1.",
        tags: ["openapi", "api"],
      },
      {
        identifier: identifier("llms-txt"),
        displayName: `${site.display_name}: llms.txt`,
        type: "text/plain",
        url: `${origin}/llms.txt`,
        description: "A description of the site with links to its pages and interfaces, for models.",
        tags: ["llms-txt", "documentation"],
      },
      {
        identifier: identifier("llms-full-txt"),
        displayName: `${site.display_name}: all pages`,
        type: "text/plain",
        url: `${origin}/llms-full.txt`,
        description: "The markdown of all pages in one file.",
        tags: ["llms-txt", "documentation"],
      },
    ],
  });
}
