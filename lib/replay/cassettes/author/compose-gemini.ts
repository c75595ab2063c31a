import * as z from "zod";
import { requireProvider } from "#lib/replay/providers/index";
import {
  authoredId,
  authoredModel,
  type ComposeInput,
  type Composer,
  fakeOpaque,
  type Json,
  paceBlocks,
  type TimedEvent,
  totalGapMs,
} from "./compose-stream";
import { splitTokens, toSpacedJson } from "./tokens";

const stopReasons = { end_turn: "STOP", max_tokens: "MAX_TOKENS", tool_use: "STOP" };
const signatureByteLength = 180;

type Part = { part: Json; gapMs: number; tokenCount: number; isThought: boolean };

/** Calls and their arguments arrive in one event; the first call has the signature of the thoughts before it. */
function toParts(input: ComposeInput): Part[] {
  const { script, random } = input;
  let isSigned = false;
  return paceBlocks(input, script.pace.first_token_ms).flatMap((paced): Part[] => {
    const { block, pauseMs, pieces, text: whole } = paced;
    if (block.type === "tool_use") {
      const call = { name: block.name, args: block.input, id: block.id ?? authoredId("call", random) };
      const signature = isSigned ? {} : { thoughtSignature: fakeOpaque(signatureByteLength, random) };
      isSigned = true;
      const part = { functionCall: call, ...signature };
      return [{ part, gapMs: totalGapMs(paced), tokenCount: splitTokens(whole).length, isThought: false }];
    }
    const isThought = block.type === "thinking";
    return pieces.map(({ text, gapMs }, index) => ({
      part: isThought ? { text, thought: true } : { text },
      gapMs: index === 0 ? pauseMs + gapMs : gapMs,
      tokenCount: splitTokens(text).length,
      isThought,
    }));
  });
}

function compose(input: ComposeInput): TimedEvent[] {
  const { script, usage, random } = input;
  const { ending, pace } = script;
  const responseId = authoredId("response", random);
  const { inputTokens: promptTokenCount, outputTokens, thinkingTokens } = usage;
  const parts = toParts(input);
  const counts = { thoughts: 0, candidates: 0 };
  const write = (data: Json, gapMs: number): TimedEvent => ({
    gapMs,
    text: `data: ${toSpacedJson(data, ",")}\r\n\r\n`,
  });
  const events = parts.map(({ part, gapMs, tokenCount, isThought }, index) => {
    counts[isThought ? "thoughts" : "candidates"] += tokenCount;
    const isLast = index === parts.length - 1 && !ending.error;
    if (isLast) Object.assign(counts, { thoughts: thinkingTokens, candidates: outputTokens - thinkingTokens });
    const usageMetadata = {
      promptTokenCount,
      ...(counts.candidates > 0 && { candidatesTokenCount: counts.candidates }),
      totalTokenCount: promptTokenCount + counts.thoughts + counts.candidates,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokenCount }],
      ...(counts.thoughts > 0 && { thoughtsTokenCount: counts.thoughts }),
    };
    const candidate = {
      content: { parts: [part], role: "model" },
      ...(isLast && { finishReason: stopReasons[ending.stop_reason as keyof typeof stopReasons] }),
      index: 0,
      ...(isLast && part.functionCall !== undefined && { finishMessage: "Model generated function call(s)." }),
    };
    return write({ candidates: [candidate], usageMetadata, modelVersion: authoredModel, responseId }, gapMs);
  });
  if (!ending.error) return events;
  const { type: status, message } = ending.error;
  const code = composeGemini.provider.statusOf({ error: { status } });
  return [...events, write({ error: { code, message, status } }, random.between(...pace.block_pause_ms))];
}

/** Gemini. Its model and the form of the answer are in the path of a request, not in the body. */
export const composeGemini: Composer = {
  provider: requireProvider("gemini"),
  requestSchema: z.looseObject({ contents: z.array(z.looseObject({ role: z.enum(["user", "model"]) })).min(1) }),
  blockTypes: ["text", "thinking", "tool_use"],
  isOneMessage: false,
  stopReasons,
  limitField: "generationConfig.maxOutputTokens",
  thinkingField: "generationConfig.thinkingConfig.includeThoughts",
  compose,
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
