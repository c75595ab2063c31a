import { formatCount } from "#lib/platform/format-count";
import {
  type Answer,
  outputTokensOf,
  type Provider,
  type Citation as ProviderCitation,
} from "#lib/replay/providers/browser";
import { indentJson } from "../format";
import { asObject, type PlayerEvent } from "./player-event";

type Json = Record<string, unknown>;

/** A source that a text cites. */
export type Citation = { number: number; quote: string; source: string; url: string | null };

/** A part of an answer. Keys stay the same while the answer grows. */
export type AnswerPart =
  | { kind: "text"; key: string; markdown: string; citations: Citation[] }
  | { kind: "thinking"; key: string; text: string; isRedacted: boolean }
  | { kind: "refusal"; key: string; text: string }
  | { kind: "tool"; key: string; name: string; isServer: boolean; input: string; isComplete: boolean }
  | { kind: "result"; key: string; name: string; content: unknown }
  | { kind: "error"; key: string; type: string; message: string }
  | { kind: "end"; key: string; reason: string; explanation: string | null; outputTokens: number | null };

/** Enclose a citation's number in the markdown; the renderer turns them into superscripts. */
export const citationMark = { open: "\uE000", close: "\uE001" } as const;
const marks = /[\uE000\uE001]/g;

/** Inserts the citation marks after the cited text, before any trailing white space. */
function withMarks(markdown: string, numbers: readonly number[]): string {
  const end = markdown.trimEnd();
  const added = numbers.map((number) => `${citationMark.open}${number}${citationMark.close}`).join("");
  return end + added + markdown.slice(end.length);
}

type TextPart = Extract<AnswerPart, { kind: "text" }>;

/** Adds a text with its citations, which are numbered through the answer, from `first` on. */
function addText(part: TextPart, { text, citations }: CitedText, first: number): void {
  const numbered = citations.map((citation, index) => ({ number: first + index, ...citation }));
  part.citations.push(...numbered);
  const markdown = text.replace(marks, "");
  const numbers = numbered.map(({ number }) => number);
  part.markdown += numbers.length === 0 ? markdown : withMarks(markdown, numbers);
}

type CitedText = { text: string; citations: readonly ProviderCitation[] };

function errorPart(error: Json, key: string): AnswerPart {
  const { error: inner = error, type } = error;
  const { type: innerType, code, status, message } = asObject(inner) ?? {};
  const name = [innerType, code, status, type].find((value) => typeof value === "string" || typeof value === "number");
  const text = typeof inner === "string" ? inner : typeof message === "string" ? message : "";
  return { kind: "error", key, type: String(name ?? "error"), message: text };
}

/** Converts the parts of an answer. Texts that follow each other become one markdown text. */
function toParts({ parts, stopReason, explanation, usage }: Answer): AnswerPart[] {
  const converted: AnswerPart[] = [];
  let open: TextPart | undefined;
  let citationCount = 0;
  for (const [index, part] of parts.entries()) {
    const key = `part-${index}`;
    if (part.kind === "text") {
      if (!open) {
        open = { kind: "text", key, markdown: "", citations: [] };
        converted.push(open);
      }
      addText(open, part, citationCount + 1);
      citationCount += part.citations.length;
      continue;
    }
    open = undefined;
    if (part.kind === "tool")
      converted.push({ ...part, key, input: part.isComplete ? indentJson(part.input) : part.input });
    else converted.push({ ...part, key });
  }
  if (stopReason === null) return converted;
  const outputTokens = outputTokensOf(usage);
  return [
    ...converted,
    { kind: "end", key: "end", reason: stopReason, explanation: explanation ?? null, outputTokens },
  ];
}

/** Says how a response ended: `Finished, 61 chunks`, `Ended with overloaded_error`. */
export function describeEnd(parts: readonly AnswerPart[], chunkCount: number, isTruncated: boolean): string {
  const error = parts.find((part) => part.kind === "error");
  if (error) return `Ended with ${error.type}`;
  return `${isTruncated ? "Cut off" : "Finished"}, ${formatCount(chunkCount, "chunk")}`;
}

/** Builds the answer from the first `count` events of a provider's response. */
export function foldAnswer(
  provider: Provider,
  events: readonly Pick<PlayerEvent, "event" | "data" | "json">[],
  count = events.length,
): AnswerPart[] {
  const { body, error } = provider.fold(events.slice(0, count));
  const parts = body ? toParts(provider.readAnswer(body)) : [];
  return error ? [...parts, errorPart(error, "error")] : parts;
}
