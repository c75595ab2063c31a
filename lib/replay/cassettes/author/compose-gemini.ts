import * as z from "zod";
import { gemini } from "#lib/replay/providers/index";
import { authoredId, type ComposeInput, type Composer, fakeOpaque, type Json } from "./compose-stream";

const stopReasons = { end_turn: "STOP", max_tokens: "MAX_TOKENS", tool_use: "STOP" };
const signatureByteLength = 180;

/** Returns the parts of the answer; the first call has the signature of the thoughts before it. */
function toParts({ script: { blocks }, random }: ComposeInput): Json[] {
  const signed = blocks.find(({ type }) => type === "tool_use");
  return blocks.map((block) => {
    if (block.type === "thinking") return { text: block.thinking, thought: true };
    if (block.type !== "tool_use") return { text: block.type === "text" ? block.text : "" };
    const functionCall = { name: block.name, args: block.input, id: block.id ?? authoredId("call_", 24, random) };
    return { functionCall, ...(block === signed && { thoughtSignature: fakeOpaque(signatureByteLength, random) }) };
  });
}

/** Gemini. Its model and the form of the answer are in the path of a request, not in the body. */
export const composeGemini: Composer = {
  provider: gemini,
  requestSchema: z.looseObject({ contents: z.array(z.looseObject({ role: z.enum(["user", "model"]) })).min(1) }),
  blockTypes: ["text", "thinking", "tool_use"],
  isOneMessage: false,
  stopReasons,
  limitField: "generationConfig.maxOutputTokens",
  thinkingField: "generationConfig.thinkingConfig.includeThoughts",
  toBody: (input) => {
    const { inputTokens: promptTokenCount, cachedTokens, outputTokens, thinkingTokens } = input.usage;
    const finishReason = stopReasons[input.script.ending.stop_reason as keyof typeof stopReasons];
    return {
      candidates: [{ content: { parts: toParts(input), role: "model" }, finishReason, index: 0 }],
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount: outputTokens - thinkingTokens,
        totalTokenCount: promptTokenCount + outputTokens,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokenCount }],
        ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
        ...(thinkingTokens > 0 && { thoughtsTokenCount: thinkingTokens }),
      },
      modelVersion: input.model,
      responseId: authoredId("", 22, input.random),
    };
  },
  answerItems: ({ candidates }) => (candidates as { content: Json }[]).map(({ content }) => content),
  resultItems: (results) => [
    {
      role: "user",
      parts: results.map(({ callId, name, output }) => ({
        functionResponse: { id: callId, name, response: typeof output === "string" ? { output } : output },
      })),
    },
  ],
};
