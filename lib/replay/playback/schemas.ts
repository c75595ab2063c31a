import { z } from "zod";
import { slugSchema } from "#lib/replay/cassettes/index";

/** Slowest and fastest replay, as factors on the cassette's speed. */
const minSpeed = 0.1;
const maxSpeed = 100;

const decimal = /^(?:\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})$/;

/** `0.1` to `100`, or `max`, which becomes Infinity. */
export const speedSchema = z
  .string()
  .refine((text) => text === "max" || (decimal.test(text) && Number(text) >= minSpeed && Number(text) <= maxSpeed), {
    error: `must be a number from ${minSpeed} to ${maxSpeed}, or max`,
  })
  .transform((text) => (text === "max" ? Number.POSITIVE_INFINITY : Number(text)))
  .meta({ description: "Playback speed as a factor, 0.1 to 100, or `max` for no delays.", examples: ["2"] });

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

const contentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);

/** A Messages request. Only the fields needed to choose a cassette are validated; all others are accepted. */
export const messagesBodySchema = z
  .looseObject({
    model: z
      .string()
      .min(1)
      .meta({ description: "`cassette:<vertical>/<slug>` selects a cassette. Any other name is ignored." }),
    max_tokens: z
      .int()
      .min(1)
      .meta({ description: "Required, as in the provider's API. It does not shorten the replay." }),
    messages: z.array(z.looseObject({ role: z.string(), content: contentSchema })).min(1),
    stream: z.boolean().optional(),
  })
  .meta({ id: "MessagesRequest", description: "An Anthropic Messages request." });
export type MessagesBody = z.infer<typeof messagesBodySchema>;

export const messagesQuerySchema = z.object({ speed: speedSchema.optional() });

export const messageSchema = z
  .looseObject({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({}),
  })
  .meta({ id: "Message", description: "The complete message of the cassette's stream." });
