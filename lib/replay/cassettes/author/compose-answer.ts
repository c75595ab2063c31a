import type { Provider } from "#lib/replay/providers/index";
import { type Recording, toRecording } from "../recording";
import { composeEvents, type Json, joinEvents } from "./compose-stream";
import { requireComposer } from "./composers";
import { estimateUsage } from "./estimate-usage";
import type { Script, ScriptBlock } from "./script";
import { usualPace } from "./script-basics";
import { createRandom } from "./seeded-random";

/** What a hand-written answer says. */
type WrittenAnswer = {
  text?: string | undefined;
  /** Is left out where the protocol has none. */
  thinking?: string | undefined;
  toolCalls?: readonly { name: string; input: Json }[] | undefined;
  stopReason?: "max_tokens" | undefined;
  /** Token counts in place of the estimated ones. */
  usage?: { [Count in "inputTokens" | "outputTokens" | "cachedTokens"]?: number | undefined } | undefined;
};

const id = "answers/written";
const firstTokenMs = 400;
const writtenAt = "2026-01-01T00:00:00Z";

/** Characters of a request's texts that are counted: those of images would take seconds. */
const maxCountedLength = 200_000;

/** Returns a request without the texts beyond those that are counted. */
function cutTexts(request: Json): Json {
  let left = maxCountedLength;
  const cut = (_key: string, value: unknown) => {
    if (typeof value !== "string") return value;
    const text = value.slice(0, left);
    left -= text.length;
    return text;
  };
  return JSON.parse(JSON.stringify(request, cut)) as Json;
}

/** Returns the stream of a hand-written answer to a request, at the pace of a model. The seed decides the ids. */
export function composeAnswer(
  { name, stream }: Provider,
  { text, thinking, toolCalls = [], stopReason, usage: given }: WrittenAnswer,
  { request, model, seed }: { request: Json; model: string; seed: number },
): Recording {
  const composer = requireComposer(name);
  const { model: _model, ...asked } = request;
  const blocks: ScriptBlock[] = [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...toolCalls.map((call) => ({ type: "tool_use" as const, ...call })),
  ];
  const script: Script = {
    title: id,
    subtitle: "",
    seed,
    authored_at: writtenAt,
    provider: name,
    pace: { first_token_ms: firstTokenMs, ...usualPace },
    split_bytes: false,
    sse_forms: false,
    request: asked,
    blocks: blocks.filter(({ type }) => composer.blockTypes.includes(type)),
    ending: { stop_reason: "end_turn" },
  };
  const estimated = estimateUsage(
    { ...script, request: cutTexts(asked) },
    { id, limit: undefined, limitField: composer.limitField },
  );
  const outputTokens = given?.outputTokens ?? estimated.outputTokens;
  const usage = {
    ...estimated,
    inputTokens: given?.inputTokens ?? estimated.inputTokens,
    cachedTokens: given?.cachedTokens ?? 0,
    outputTokens,
    thinkingTokens: Math.min(estimated.thinkingTokens, outputTokens),
  };
  // Only now: an estimate for an end at the limit needs a limit.
  if (toolCalls.length > 0) script.ending.stop_reason = "tool_use";
  else if (stopReason) script.ending.stop_reason = stopReason;
  const random = createRandom(seed);
  const chunks = joinEvents(composeEvents(composer, { script, id, model, usage, random }));
  return toRecording({
    cassette: {
      id,
      provider: name,
      provenance: {
        kind: "authored",
        recorded_at: writtenAt,
        recorder: "tapedeck",
        timing: "synthetic",
        clock: "none",
        boundary: "sse-event",
        source: {},
      },
      response: { status: 200, headers: { "content-type": stream.contentType } },
      end: "complete",
    },
    chunks,
  });
}
