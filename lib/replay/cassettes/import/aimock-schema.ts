import { z } from "zod";

const argumentsSchema = z.union([z.string(), z.record(z.string(), z.unknown())]).transform(toText);
const toolCallSchema = z.object({ name: z.string(), arguments: argumentsSchema, id: z.string().optional() });

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What aimock 1.43 keeps of an Anthropic answer: its meaning, not its events. */
export const aimockResponseSchema = z.looseObject({
  content: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .transform(toText)
    .optional(),
  toolCalls: z.array(toolCallSchema).optional(),
  blocks: z
    .array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("text"), text: z.string() }),
        z.object({ type: z.literal("toolCall"), ...toolCallSchema.shape }),
      ]),
    )
    .optional(),
  reasoning: z.string().optional(),
  reasoningSignature: z.string().optional(),
  redactedThinking: z.array(z.string()).optional(),
  id: z.string().optional(),
  model: z.string().optional(),
  finishReason: z.string().optional(),
  usage: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string(), type: z.string().optional() }).optional(),
  status: z.int().min(200).max(599).optional(),
});
export type AimockToolCall = z.infer<typeof toolCallSchema>;
export type AimockResponse = z.infer<typeof aimockResponseSchema>;

const delaySchema = z.number().min(0);

export const aimockFixtureSchema = z.looseObject({
  match: z.looseObject({ userMessage: z.string().optional(), model: z.string().optional() }).default({}),
  response: aimockResponseSchema,
  recordedTimings: z
    .looseObject({ ttftMs: delaySchema, interChunkDelaysMs: z.array(delaySchema).max(100_000) })
    .optional(),
});
export type AimockFixture = z.infer<typeof aimockFixtureSchema>;

export const aimockFileSchema = z.looseObject({ fixtures: z.array(z.unknown()).min(1) });
