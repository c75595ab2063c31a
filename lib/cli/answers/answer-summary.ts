import type { Model, ModelCatalogue } from "#lib/models/index";
import { printable } from "#lib/platform/printable";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { type Provider, type TimedChunk, type Tokens, tokensOf } from "#lib/replay/providers/index";
import { costOf, moneyText, tokensText } from "../run-report/costs";
import { answerText } from "../show-cassette";

type Response = { status: number; headers: Readonly<Record<string, string>>; chunks: readonly TimedChunk[] };

/** An answer, without what differs from call to call. */
export type AnswerSummary = {
  /** As the request names it. */
  model: string | null;
  status: number;
  stop_reason: string | null;
  /** What people read, and the calls of tools; of an error, its body. */
  text: string;
  /** Null if the answer reports no usage. */
  tokens: Tokens | null;
  /** At list prices; null if the price or the usage is not known. */
  usd: number | null;
};

/** Returns a summary of a response to a request for a model at a host. */
export function summarizeAnswer(
  provider: Provider,
  { status, headers, chunks }: Response,
  { model, host }: { model: string | null; host: string | undefined },
  catalogue: ModelCatalogue,
): AnswerSummary {
  const { answer, error } = readRecordedAnswer(provider, { headers, chunks });
  const tokens = answer && tokensOf(answer.usage);
  const known: Model | undefined = model === null ? undefined : catalogue.names.find(model, host);
  const parts = (answer?.parts ?? []).filter(({ kind }) => kind !== "thinking");
  const isReadable = answer !== null || error !== null;
  return {
    model,
    status,
    stop_reason: answer?.stopReason ?? null,
    text: isReadable ? answerText(parts, error) : Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("utf8"),
    tokens,
    usd: tokens && costOf(tokens, known),
  };
}

/** Two answers to a request: the recorded one, and a new one. Null: there is none. */
export type AnswerPair = { test: string; file: string; before: AnswerSummary | null; after: AnswerSummary | null };

/** Most characters of an answer in a table. */
const maxTextLength = 72;

function shortText(text: string): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength)}…`;
}

/** Returns an answer's tokens and cost, and says what is not known of them. */
export function costText(answer: AnswerSummary): string {
  if (answer.tokens === null) return answer.status >= 300 ? "" : "no usage reported";
  return `${tokensText(answer.tokens)}, ${answer.usd === null ? "price not known" : moneyText(answer.usd)}`;
}

export function beginningOf(answer: AnswerSummary | null): string {
  if (answer === null) return "none";
  return `${answer.status >= 300 ? `${answer.status} ` : ""}${shortText(answer.text) || "(empty)"}`;
}

/** Returns the names of both models, or the one of both. */
export function modelsText({ before, after }: AnswerPair): string {
  const names = [before, after].flatMap((answer) => (answer?.model ? [answer.model] : []));
  return [...new Set(names)].join(" → ");
}

/** Returns what answers cost in sum, before and after, of the pairs whose costs are known. */
export function sumText(pairs: readonly AnswerPair[]): string {
  const costOfAnswer = (answer: AnswerSummary | null) => (answer === null ? 0 : answer.usd);
  const costs = pairs.map(({ before, after }) => [costOfAnswer(before), costOfAnswer(after)] as const);
  const known = costs.flatMap(([old, fresh]) => (old === null || fresh === null ? [] : [[old, fresh] as const]));
  if (known.length === 0) return "cost not known";
  const [before, after] = [0, 1].map((side) => known.reduce((sum, pair) => sum + (pair[side] ?? 0), 0));
  const unknown = costs.length - known.length;
  const left = unknown > 0 ? ` (without ${unknown} whose cost is not known)` : "";
  return `cost ${moneyText(before ?? 0)} → ${moneyText(after ?? 0)}${left}`;
}
