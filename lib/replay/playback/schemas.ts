import * as z from "zod";
import { slugSchema } from "#lib/replay/cassettes/index";
import { speedSchema } from "./speed";

export const replayParamsSchema = z.object({
  vertical: slugSchema.meta({
    description: "A vertical, or another folder of the store.",
    examples: ["developer-tools"],
  }),
  cookbook: slugSchema.meta({ description: "The cassette's slug within the vertical.", examples: ["explain-sse"] }),
});
export type ReplayParams = z.infer<typeof replayParamsSchema>;

export const replayQuerySchema = z.object({
  speed: speedSchema.optional(),
  ids: z
    .literal("1", { error: "must be 1" })
    .optional()
    .meta({ description: "`1` adds an `id:` line to each event, so that a client can resume." }),
  from: z
    .string()
    .regex(/^\d{1,6}$/, "must be a chunk number, 0 or more")
    .transform(Number)
    .optional()
    .meta({ description: "Number of the chunk to start from. Requires `ids=1`.", examples: ["12"] }),
});
export type ReplayQuery = z.infer<typeof replayQuerySchema>;

export const replayDiscoverySchema = z
  .object({
    endpoint_pattern: z.string(),
    example: z.url(),
    cassettes_listing: z.url(),
    random_url: z.url(),
    openapi: z.url(),
    methods: z.array(z.string()),
    auth: z.literal("none"),
    tokens_per_replay: z.literal(0),
    response_content_type: z.string(),
  })
  .meta({ id: "ReplayDiscovery", description: "How to replay a cassette of this site." });
export type ReplayDiscovery = z.infer<typeof replayDiscoverySchema>;
