import { serviceName, version } from "#lib/platform/version";
import { type DiscoveryContext, publisherDomain } from "./context";
import {
  type AiCatalog,
  aiCatalogSchema,
  type RegistryServer,
  registryServerSchema,
  type ServerCard,
  serverCardSchema,
} from "./schemas";

/** Revisions of the protocol that both endpoints speak, the newest first. */
export const supportedProtocolVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const description = "Replay recorded model streams, search them, and read what vendors change in llms.txt files.";

/** No value stands in it: a client without a key must leave the header out, for a broken key is refused. */
const keyHeader = {
  name: "Authorization",
  description: "Optional: an API key for the starter or pro tier. Leave it out for the free tier.",
  isRequired: false,
  isSecret: true,
  placeholder: "Bearer ltf_…",
};

function serverOf({ origin, site }: DiscoveryContext) {
  return {
    name: `${publisherDomain(origin).split(".").reverse().join(".")}/${serviceName}`,
    title: site.display_name,
    description,
    version,
    websiteUrl: `${origin}/docs/mcp`,
  };
}

function remotesOf({ origin }: DiscoveryContext) {
  const urls = [`${origin}/api/mcp`, `${origin}/api/mcp/v2`];
  return urls.map((url) => ({ type: "streamable-http", url, headers: [keyHeader] }));
}

/** The site's /.well-known/mcp/server-card.json. */
export function serverCard(context: DiscoveryContext): ServerCard {
  return serverCardSchema.parse({
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    ...serverOf(context),
    remotes: remotesOf(context).map((remote) => ({ ...remote, supportedProtocolVersions })),
  });
}

/** The site's /server.json, as an operator hands it to the MCP registry. */
export function registryServer(context: DiscoveryContext): RegistryServer {
  return registryServerSchema.parse({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    ...serverOf(context),
    remotes: remotesOf(context),
  });
}

/** The site's /.well-known/ai-catalog.json. */
export function aiCatalog({ origin, site }: DiscoveryContext): AiCatalog {
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
        description: "What the site is, and its pages and interfaces, for models.",
        tags: ["llms-txt", "documentation"],
      },
      {
        identifier: identifier("llms-full-txt"),
        displayName: `${site.display_name}: all pages`,
        type: "text/plain",
        url: `${origin}/llms-full.txt`,
        description: "The markdown of every page in one file.",
        tags: ["llms-txt", "documentation"],
      },
    ],
  });
}
