import { asObject, type PlayerEvent } from "./player-event";

type Json = Record<string, unknown>;

/** What a text rests on. */
export type Citation = { number: number; quote: string; source: string; url: string | null };

/** A piece of an answer in its own dress. Keys stay the same while the answer grows. */
export type AnswerPart =
  | { kind: "text"; key: string; markdown: string; citations: Citation[] }
  | { kind: "thinking"; key: string; text: string; isRedacted: boolean }
  | { kind: "tool"; key: string; name: string; isServer: boolean; input: string; isComplete: boolean }
  | { kind: "result"; key: string; name: string; content: unknown }
  | { kind: "error"; key: string; type: string; message: string }
  | { kind: "end"; key: string; reason: string; explanation: string | null; outputTokens: number | null };

/** Stand around a citation's number in the markdown; the renderer makes a link of them. */
export const citationMark = { open: "\uE000", close: "\uE001" } as const;
const marks = /[\uE000\uE001]/g;

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function pagesOf({ start_page_number: first, end_page_number: end }: Json): string {
  if (typeof first !== "number" || typeof end !== "number") return "";
  return end - first > 1 ? `, pages ${first} to ${end - 1}` : `, page ${first}`;
}

function citationOf(value: unknown, number: number): Citation {
  const json = asObject(value) ?? {};
  const source = text(json.title) || text(json.document_title) || text(json.source) || "Document";
  return { number, quote: text(json.cited_text), source: source + pagesOf(json), url: text(json.url) || null };
}

/** JSON as one reads it; as it stands where it is not whole. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** Puts the marks where the cited text ends, before the blank that may follow it. */
function withMarks(markdown: string, numbers: readonly number[]): string {
  const end = markdown.trimEnd();
  const added = numbers.map((number) => `${citationMark.open}${number}${citationMark.close}`).join("");
  return end + added + markdown.slice(end.length);
}

/** Builds the answer up, event by event. */
class Answer {
  readonly parts: AnswerPart[] = [];
  readonly #open = new Map<unknown, AnswerPart>();
  #cited: number[] = [];
  #citationCount = 0;
  #outputTokens: number | null = null;

  take(json: Json, key: string): void {
    switch (json.type) {
      case "content_block_start":
        return this.#begin(json.index, asObject(json.content_block) ?? {}, key);
      case "content_block_delta":
        return this.#grow(this.#open.get(json.index), asObject(json.delta) ?? {});
      case "content_block_stop":
        return this.#close(this.#open.get(json.index));
      case "message_delta":
        return this.#end(json, key);
      case "error": {
        const error = asObject(json.error) ?? {};
        this.parts.push({ kind: "error", key, type: text(error.type) || "error", message: text(error.message) });
      }
    }
  }

  #begin(index: unknown, block: Json, key: string): void {
    const part = this.#partOf(block, key);
    this.#open.set(index, part);
    if (this.parts.at(-1) !== part) this.parts.push(part);
    if (part.kind === "text") part.markdown += text(block.text).replace(marks, "");
  }

  #partOf(block: Json, key: string): AnswerPart {
    const type = text(block.type);
    const last = this.parts.at(-1);
    if (type === "text") return last?.kind === "text" ? last : { kind: "text", key, markdown: "", citations: [] };
    if (type.endsWith("thinking"))
      return { kind: "thinking", key, text: text(block.thinking), isRedacted: type === "redacted_thinking" };
    if (type.endsWith("tool_use"))
      return { kind: "tool", key, name: text(block.name), isServer: type !== "tool_use", input: "", isComplete: false };
    return { kind: "result", key, name: type, content: block.content };
  }

  #grow(part: AnswerPart | undefined, delta: Json): void {
    if (part?.kind === "thinking") part.text += text(delta.thinking);
    if (part?.kind === "tool") part.input += text(delta.partial_json);
    if (part?.kind !== "text") return;
    part.markdown += text(delta.text).replace(marks, "");
    if (delta.type !== "citations_delta") return;
    this.#citationCount += 1;
    this.#cited.push(this.#citationCount);
    part.citations.push(citationOf(delta.citation, this.#citationCount));
  }

  #close(part: AnswerPart | undefined): void {
    if (part?.kind === "tool") {
      part.input = indented(part.input || "{}");
      part.isComplete = true;
    }
    if (part?.kind !== "text") return;
    part.markdown = withMarks(part.markdown, this.#cited);
    this.#cited = [];
  }

  #end({ delta, usage }: Json, key: string): void {
    const tokens = asObject(usage)?.output_tokens;
    if (typeof tokens === "number") this.#outputTokens = tokens;
    const { stop_reason: reason, stop_details: details } = asObject(delta) ?? {};
    if (typeof reason !== "string") return;
    const explanation = text(asObject(details)?.explanation) || null;
    this.parts.push({ kind: "end", key, reason, explanation, outputTokens: this.#outputTokens });
  }
}

/** What the first `count` events of a stream amount to (Anthropic Messages wire format). */
export function foldAnswer(events: readonly Pick<PlayerEvent, "json">[], count = events.length): AnswerPart[] {
  const answer = new Answer();
  for (let index = 0; index < count; index += 1) {
    const json = events[index]?.json;
    if (json) answer.take(json, `part-${index}`);
  }
  return answer.parts;
}
