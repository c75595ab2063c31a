import { z } from "zod";
import { speedSchema } from "../schemas";

const contentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);

/** A Messages request: what the choice of a cassette needs is checked, the rest is let through. */
export const messagesBodySchema = z
  .looseObject({
    model: z
      .string()
      .min(1)
      .meta({ description: "`cassette:<vertical>/<slug>` picks a cassette; any other name is ignored." }),
    max_tokens: z
      .int()
      .min(1)
      .meta({ description: "Required, as the provider requires it; it does not shorten the replay." }),
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
  .meta({ id: "Message", description: "The message that the recorded stream amounts to." });
