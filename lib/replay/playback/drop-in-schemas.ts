import * as z from "zod";
import { speedSchema } from "./speed";

/** Only the fields that are needed to choose a cassette are validated. All others are accepted, as new models add some. */

const modelSchema = z
  .string()
  .min(1)
  .max(500)
  .meta({ description: "`cassette:<id>` names a cassette. Any other name is compared with the recorded one." });
const streamSchema = z.boolean().optional();
const contentRequirement = "must be a string or an array of content parts";
const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({}))], { error: contentRequirement }).nullish(),
});

const anthropicMessagesSchema = z
  .array(
    z.looseObject({
      role: z.string(),
      content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))], { error: contentRequirement }),
    }),
  )
  .min(1);

export const messagesBodySchema = z
  .looseObject({
    model: modelSchema,
    max_tokens: z
      .int()
      .min(1)
      .meta({ description: "Required, as in the provider's API. It does not shorten the replay." }),
    messages: anthropicMessagesSchema,
    stream: streamSchema,
  })
  .meta({ id: "MessagesRequest", description: "An Anthropic Messages request." });

export const countTokensBodySchema = z
  .looseObject({ model: modelSchema, messages: anthropicMessagesSchema })
  .meta({ id: "CountTokensRequest", description: "A request to count the tokens of a Messages request." });

export const chatBodySchema = z
  .looseObject({ model: modelSchema, messages: z.array(messageSchema).min(1), stream: streamSchema.nullable() })
  .meta({ id: "ChatCompletionsRequest", description: "An OpenAI Chat Completions request." });

export const responsesBodySchema = z
  .looseObject({
    model: modelSchema.optional(),
    input: z
      .union([z.string().min(1), z.array(z.looseObject({})).min(1)], {
        error: "must be a text or an array of items, not empty",
      })
      .optional(),
    stream: streamSchema.nullable(),
  })
  .meta({ id: "ResponsesRequest", description: "An OpenAI Responses request." });

export const embeddingsBodySchema = z
  .looseObject({
    model: modelSchema,
    input: z.union([z.string(), z.array(z.unknown()).min(1)], {
      error: "must be a string, or a non-empty array of strings or tokens",
    }),
  })
  .meta({ id: "EmbeddingsRequest", description: "An OpenAI embeddings request." });

export const geminiParamsSchema = z.object({
  action: z
    .string()
    .max(500)
    .regex(/^[^/:]+:(?:generateContent|streamGenerateContent)$/)
    .meta({
      description: "`{model}:generateContent` or `{model}:streamGenerateContent`.",
      examples: ["gemini-2.5-flash:streamGenerateContent"],
    }),
});

export const geminiBodySchema = z
  .looseObject({ contents: z.array(z.looseObject({})).min(1) })
  .meta({ id: "GenerateContentRequest", description: "A Gemini generateContent request." });

export const ollamaChatBodySchema = z
  .looseObject({ model: modelSchema, messages: z.array(messageSchema).min(1), stream: streamSchema })
  .meta({ id: "OllamaChatRequest", description: "An Ollama chat request. It streams unless `stream` is false." });

export const dropInQuerySchema = z.object({ speed: speedSchema.optional() });

export const geminiQuerySchema = z.object({
  speed: speedSchema.optional(),
  alt: z
    .string()
    .max(20)
    .optional()
    .meta({ description: "`sse` for server-sent events; else a JSON array is streamed." }),
  key: z.string().max(500).optional().meta({ description: "Ignored, except for `cassette:<id>`." }),
});

export const messageResponseSchema = z
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

export const answerSchema = z.looseObject({}).meta({ description: "The provider's answer, as recorded." });

export const tokenCountSchema = z
  .object({ input_tokens: z.int() })
  .meta({ id: "TokenCount", description: "The number of tokens of a request." });

export const modelsSchema = z
  .looseObject({ data: z.array(z.looseObject({ id: z.string() })) })
  .meta({ id: "Models", description: "The site's cassettes of the provider, as models." });
