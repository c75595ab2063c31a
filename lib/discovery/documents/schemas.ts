import * as z from "zod";

const documentUrl = z.url({ protocol: /^https?$/ });

const mcpEndpointSchema = z.strictObject({
  url: documentUrl,
  transport: z.literal("streamable-http"),
  sessions: z.boolean().meta({ description: "Whether the endpoint supports sessions and a stream of notifications." }),
});

/** What agents can do on a site, with URLs. There is no standard for this file; the format is our own. */
export const agentsJsonSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    url: documentUrl,
    vertical: z.string(),
    auth: z.literal("none").meta({ description: "A key is optional; without one, the free tier applies." }),
    documentation: documentUrl,
    llms_txt: documentUrl,
    llms_full_txt: documentUrl,
    openapi: documentUrl,
    ai_catalog: documentUrl,
    server_card: documentUrl,
    mcp: mcpEndpointSchema,
    mcp_v2: mcpEndpointSchema,
    endpoints: z.record(z.string(), z.string()).meta({ description: "URLs by name; replace `{q}` with a query." }),
  })
  .meta({ id: "AgentsJson", description: "What agents can do on this site, with URLs." });
export type AgentsJson = z.infer<typeof agentsJsonSchema>;

/** `namespace/name`; the namespace is a reversed domain. */
const serverNameSchema = z
  .string()
  .min(3)
  .max(200)
  .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);

const headerInputSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  placeholder: z.string(),
});

const remoteSchema = z.strictObject({
  type: z.literal("streamable-http"),
  url: documentUrl,
  headers: z.array(headerInputSchema),
});

const serverSchema = z.strictObject({
  name: serverNameSchema,
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().min(1).max(255),
  websiteUrl: documentUrl,
});

/** An MCP Server Card (SEP-2127), schema v1: identity and transport, never tools. */
export const serverCardSchema = serverSchema
  .extend({
    $schema: z.literal("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"),
    remotes: z.array(remoteSchema.extend({ supportedProtocolVersions: z.array(z.iso.date()).min(1) })).min(1),
  })
  .meta({ id: "ServerCard", description: "Identity and URLs of the MCP server." });
export type ServerCard = z.infer<typeof serverCardSchema>;

/** The MCP registry's `server.json`, schema 2025-12-11, of a server that has only remote endpoints. */
export const registryServerSchema = serverSchema
  .extend({
    $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
    remotes: z.array(remoteSchema).min(1),
  })
  .meta({ id: "RegistryServer", description: "The MCP server in the format of the official registry." });
export type RegistryServer = z.infer<typeof registryServerSchema>;

const catalogEntrySchema = z.strictObject({
  identifier: z.string().regex(/^urn:air:[a-z0-9.-]+:[a-z0-9-]+:[a-z0-9-]+$/),
  displayName: z.string().min(1),
  type: z.string().regex(/^[a-z]+\/[a-z0-9.+-]+$/),
  url: documentUrl,
  description: z.string().min(1),
  tags: z.array(z.string()),
});

/** An AI Catalog, version 1.0, published at its well-known URL. */
export const aiCatalogSchema = z
  .strictObject({
    specVersion: z.literal("1.0"),
    host: z.strictObject({ displayName: z.string(), identifier: z.string(), documentationUrl: documentUrl }),
    entries: z.array(catalogEntrySchema).min(1),
  })
  .meta({ id: "AiCatalog", description: "The site's artifacts for agents, each with its type and URL." });
export type AiCatalog = z.infer<typeof aiCatalogSchema>;
