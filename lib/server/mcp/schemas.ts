import { z } from "zod";

/** The revision in the identity, fixed by the contract. The endpoint supports newer ones too. */
export const identityProtocol = "2024-11-05";

/** Maximum size of an MCP request body, in bytes. */
export const maxMcpBodyByteSize = 1024 * 1024;

export const mcpIdentitySchema = z
  .object({ name: z.string(), version: z.string(), protocol: z.literal(identityProtocol) })
  .meta({ id: "McpIdentity", description: "Name and version of the MCP server." });
export type McpIdentity = z.infer<typeof mcpIdentitySchema>;
