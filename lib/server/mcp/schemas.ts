import { z } from "zod";

/** The revision that the identity names, by contract; the endpoint speaks newer ones too. */
export const identityProtocol = "2024-11-05";

/** Largest MCP request body, in bytes. */
export const maxMcpBodyByteSize = 1024 * 1024;

export const mcpIdentitySchema = z
  .object({ name: z.string(), version: z.string(), protocol: z.literal(identityProtocol) })
  .meta({ id: "McpIdentity", description: "Who answers at the MCP endpoint." });
export type McpIdentity = z.infer<typeof mcpIdentitySchema>;
