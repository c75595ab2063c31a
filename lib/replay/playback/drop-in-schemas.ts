import * as z from "zod";
import { replayQuerySchema } from "./schemas";

/** Only the fields that are needed to choose a cassette are validated. All others are accepted, as new models add some. */

const modelSchema = z
  .string()
  .min(1)
  .max(500)
  .describe("`cassette:<id>` names a cassette. Any other name is compared with the recorded one.");
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
    max_tokens: z.int().min(1).describe("Required, as in the provider's API. It does not shorten the replay."),
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

/** Returns the path parameters of an endpoint for a model, with the cassette of an example. */
export function modelParams(example: string) {
  const model = z
    .string()
    .max(500)
    .meta({ description: "Name of the model.", examples: [`cassette:${example}`] });
  return z.object({ model });
}

export const geminiParamsSchema = modelParams("legal/german-lease-terms");

export const geminiBodySchema = z
  .looseObject({ contents: z.array(z.looseObject({})).min(1) })
  .meta({ id: "GenerateContentRequest", description: "A Gemini generateContent request." });

export const geminiCountBodySchema = z
  .looseObject({
    contents: z.array(z.looseObject({})).optional(),
    generateContentRequest: z.looseObject({}).optional(),
  })
  .meta({ id: "GeminiCountTokensRequest", description: "A Gemini countTokens request." });

export const embedContentBodySchema = z
  .looseObject({ content: z.looseObject({}) })
  .meta({ id: "EmbedContentRequest", description: "A Gemini embedContent request." });

export const batchEmbedBodySchema = z
  .looseObject({ requests: z.array(z.looseObject({})).min(1) })
  .meta({ id: "BatchEmbedContentsRequest", description: "A Gemini batchEmbedContents request." });

export const vertexParamsSchema = modelParams("legal/nda-review").extend({ project: z.string(), location: z.string() });

export const vertexMessagesBodySchema = messagesBodySchema
  .omit({ model: true })
  .meta({
    id: "VertexMessagesRequest",
    description: "An Anthropic Messages request for Vertex AI, without the model.",
  });

export const bedrockParamsSchema = z.object({
  modelId: z
    .string()
    .max(2048)
    .meta({ examples: ["cassette:legal/nda-review"] }),
  operation: z.enum(["converse", "converse-stream", "invoke", "invoke-with-response-stream", "count-tokens"]),
});

export const bedrockBodySchema = z
  .looseObject({})
  .meta({ id: "BedrockRequest", description: "A request to Amazon Bedrock." });

export const ollamaChatBodySchema = z
  .looseObject({ model: modelSchema, messages: z.array(messageSchema).min(1), stream: streamSchema })
  .meta({ id: "OllamaChatRequest", description: "An Ollama chat request. It streams unless `stream` is false." });

export const ollamaGenerateBodySchema = z
  .looseObject({ model: modelSchema, prompt: z.string().optional(), stream: streamSchema })
  .meta({
    id: "OllamaGenerateRequest",
    description: "An Ollama generate request. It streams unless `stream` is false.",
  });

export const ollamaEmbedBodySchema = z
  .looseObject({ model: modelSchema, input: z.union([z.string(), z.array(z.string())]) })
  .meta({ id: "OllamaEmbedRequest", description: "An Ollama embed request." });

export const ollamaEmbeddingsBodySchema = z
  .looseObject({ model: modelSchema, prompt: z.string() })
  .meta({ id: "OllamaEmbeddingsRequest", description: "An Ollama embeddings request, of its older kind." });

export const ollamaShowBodySchema = z
  .looseObject({ model: modelSchema.optional(), name: modelSchema.optional() })
  .meta({ id: "OllamaShowRequest", description: "The name of a model, which older clients send as `name`." });

export const dropInQuerySchema = replayQuerySchema.pick({ speed: true, fault: true });

export const geminiQuerySchema = dropInQuerySchema.extend({
  alt: z.string().max(20).optional().describe("`sse` for server-sent events; else a JSON array is streamed."),
  key: z.string().max(500).optional().describe("Ignored, except for `cassette:<id>`."),
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

export const answerSchema = z.looseObject({}).describe("The provider's answer, as recorded.");

export const tokenCountSchema = z
  .object({ input_tokens: z.int() })
  .meta({ id: "TokenCount", description: "The number of tokens of a request." });

export const geminiTokenCountSchema = z
  .looseObject({ totalTokens: z.int() })
  .meta({ id: "GeminiTokenCount", description: "The number of tokens of a request." });

export const modelEntrySchema = z
  .looseObject({ id: z.string() })
  .meta({ id: "CassetteModel", description: "A cassette of the site, as a model." });

export const modelsSchema = z
  .looseObject({ data: z.array(modelEntrySchema) })
  .meta({ id: "Models", description: "The site's cassettes of the provider, as models." });

export const namedModelSchema = z.looseObject({ name: z.string() });

export const namedModelsSchema = z
  .looseObject({ models: z.array(namedModelSchema) })
  .meta({ id: "NamedModels", description: "The site's cassettes of Gemini or Ollama, as models." });

export const ollamaVersionSchema = z.object({ version: z.string() }).meta({ id: "OllamaVersion" });
