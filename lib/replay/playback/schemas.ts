import * as z from "zod";
import { listingQuerySchema, slugSchema } from "#lib/replay/cassettes/index";
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
    .describe("`1` adds an `id:` line to each event, so that a client can resume."),
  from: z
    .string()
    .regex(/^\d{1,6}$/, "must be a chunk number, 0 or more")
    .transform(Number)
    .optional()
    .meta({ description: "Number of the chunk to start from. Requires `ids=1`.", examples: ["12"] }),
  fault: z
    .string()
    .max(2000)
    .optional()
    .meta({
      description: "Faults as in the header `x-replay-fault` of drop-in endpoints. A resumed stream has none.",
      examples: ["cut-after-event=12"],
    }),
});
export type ReplayQuery = z.infer<typeof replayQuerySchema>;

export const randomReplayQuerySchema = replayQuerySchema.extend({
  ...listingQuerySchema.shape,
  seed: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "The same seed chooses the same of the same cassettes.", examples: ["7"] }),
});

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

/** How a request was matched to its cassette. */
export const matchKinds = ["name", "exact", "lineage", "turn", "repeat", "nearest"] as const;
export type MatchKind = (typeof matchKinds)[number];

/** Most recordings that a request is compared with, and most differences that are shown of each. */
export const [maxNearestCount, maxDifferenceCount] = [3, 10];

export const matchRequestSchema = z
  .strictObject({
    path: z
      .string()
      .max(500)
      .regex(/^\//, "must begin with /")
      .meta({ description: "Path of the drop-in endpoint, with its query.", examples: ["/v1/messages"] }),
    headers: z.record(z.string().max(100), z.string().max(1_000)).default({}).describe("Such as `x-replay-cassette`."),
    body: z.record(z.string().max(500), z.unknown()).describe("The JSON body."),
  })
  .meta({ id: "MatchRequest", description: "A request to a drop-in endpoint, as its client would send it." });
export type MatchRequest = z.infer<typeof matchRequestSchema>;

export const matchAnswerSchema = z
  .object({
    cassette: z.string().nullable().describe("Id of the cassette that is played; null if none is."),
    match: z.enum(matchKinds).nullable().describe("How it was chosen, as `x-replay-match` says."),
    error: z
      .object({ status: z.int(), message: z.string() })
      .nullable()
      .describe("What the client gets if no cassette is played."),
    nearest: z
      .array(
        z.object({
          id: z.string(),
          title: z.string(),
          difference_count: z.int().describe("0 for exactly this request; counted up to 100."),
          differences: z
            .array(z.string())
            .describe(`The first ${maxDifferenceCount}. Values only of recordings that anyone may download.`),
        }),
      )
      .describe(`The recordings that come nearest, at most ${maxNearestCount}, the played one first.`),
  })
  .meta({ id: "MatchAnswer", description: "The cassette that a request gets, and the nearest ones." });
export type MatchAnswer = z.infer<typeof matchAnswerSchema>;
