import { z } from "zod";
import { modelAnswerSchema } from "./answer-schema";

/**
 * What is kept of a question to a model. `asked`: one is on its way, alone or in a batch, until a moment; `answered`:
 * what the model said, unchecked; `unusable`: it said nothing of the right shape; `unanswered`: it was not reached.
 */
export const storedAnswerSchema = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("asked"),
    /** The fence of the question, and at the same time the name of this attempt. */
    boundary: z.string(),
    until: z.iso.datetime(),
    inBatch: z.boolean(),
    /** Tokens that were set aside for it. */
    reservedTokens: z.int(),
  }),
  z.object({ state: z.literal("answered"), boundary: z.string(), answer: modelAnswerSchema }),
  z.object({ state: z.literal("unusable") }),
  z.object({ state: z.literal("unanswered") }),
]);
export type StoredAnswer = z.infer<typeof storedAnswerSchema>;
export type AskedAnswer = Extract<StoredAnswer, { state: "asked" }>;
/** How a question ended. */
export type EndedAnswer = Exclude<StoredAnswer, { state: "asked" }>;
