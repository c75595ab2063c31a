import { asObject, type PlayerEvent } from "./player-event";

type Json = Record<string, unknown>;

/** A source that a text cites. */
export type Citation = { number: number; quote: string; source: string; url: string | null };

/** A part of an answer. Keys stay the same while the answer grows. */
export type AnswerPart =
  | { kind: "text"; key: string; markdown: string; citations: Citation[] }
  | { kind: "thinking"; key: string; text: string; isRedacted: boolean }
  | { kind: "tool"; key: string; name: string; isServer: boolean; input: string; isComplete: boolean }
  | { kind: "result"; key: string; name: string; content: unknown }
  | { kind: "error"; key: string; type: string; message: string }
  | { kind: "end"; key: string; reason: string; explanation: string | null; outputTokens: number | null };

/** Enclose a citation's number in the markdown; the renderer turns them into superscripts. */
export const citationMark = { open: "\uE000", close: "\uE001" } as const;
const marks = /[\uE000\uE001]/g;

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function describePages({ start_page_number: first, end_page_number: end }: Json): string {
  if (typeof first !== "number" || typeof end !== "number") return "";
  return end - first > 1 ? `, pages ${first} to ${end - 1}` : `, page ${first}`;
}

function toCitation(value: unknown, number: number): Citation {
  const json = asObject(value) ?? {};
  const source = asText(json.title) || asText(json.document_title) || asText(json.source) || "Document";
  return {
    number,
    quote: asText(json.cited_text),
    source: source + describePages(json),
    url: asText(json.url) || null,
  };
}

/** Indents JSON; returns the text unchanged if it is incomplete. */
function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** Inserts the citation marks after the cited text, before any trailing white space. */
function withMarks(markdown: string, numbers: readonly number[]): string {
  const end = markdown.trimEnd();
  const added = numbers.map((number) => `${citationMark.open}${number}${citationMark.close}`).join("");
  return end + added + markdown.slice(end.length);
}

/** Builds the answer event by event. */
class AnswerBuilder {
  readonly parts: AnswerPart[] = [];
  readonly #open = new Map<unknown, AnswerPart>();
  #cited: number[] = [];
  #citationCount = 0;
  #outputTokens: number | null = null;

  add(json: Json, key: string): void {
    switch (json.type) {
      case "content_block_start":
        return this.#startBlock(json.index, asObject(json.content_block) ?? {}, key);
      case "content_block_delta":
        return this.#applyDelta(this.#open.get(json.index), asObject(json.delta) ?? {});
      case "content_block_stop":
        return this.#endBlock(this.#open.get(json.index));
      case "message_delta":
        return this.#endMessage(json, key);
      case "error": {
        const error = asObject(json.error) ?? {};
        this.parts.push({ kind: "error", key, type: asText(error.type) || "error", message: asText(error.message) });
      }
    }
  }

  #startBlock(index: unknown, block: Json, key: string): void {
    const part = this.#createPart(block, key);
    this.#open.set(index, part);
    if (this.parts.at(-1) !== part) this.parts.push(part);
    if (part.kind === "text") part.markdown += asText(block.text).replace(marks, "");
  }

  #createPart(block: Json, key: string): AnswerPart {
    const type = asText(block.type);
    const last = this.parts.at(-1);
    if (type === "text") return last?.kind === "text" ? last : { kind: "text", key, markdown: "", citations: [] };
    if (type.endsWith("thinking"))
      return { kind: "thinking", key, text: asText(block.thinking), isRedacted: type === "redacted_thinking" };
    if (type.endsWith("tool_use"))
      return {
        kind: "tool",
        key,
        name: asText(block.name),
        isServer: type !== "tool_use",
        input: "",
        isComplete: false,
      };
    return { kind: "result", key, name: type, content: block.content };
  }

  #applyDelta(part: AnswerPart | undefined, delta: Json): void {
    if (part?.kind === "thinking") part.text += asText(delta.thinking);
    if (part?.kind === "tool") part.input += asText(delta.partial_json);
    if (part?.kind !== "text") return;
    part.markdown += asText(delta.text).replace(marks, "");
    if (delta.type !== "citations_delta") return;
    this.#citationCount += 1;
    this.#cited.push(this.#citationCount);
    part.citations.push(toCitation(delta.citation, this.#citationCount));
  }

  #endBlock(part: AnswerPart | undefined): void {
    if (part?.kind === "tool") {
      part.input = indentJson(part.input || "{}");
      part.isComplete = true;
    }
    if (part?.kind !== "text") return;
    part.markdown = withMarks(part.markdown, this.#cited);
    this.#cited = [];
  }

  #endMessage({ delta, usage }: Json, key: string): void {
    const tokens = asObject(usage)?.output_tokens;
    if (typeof tokens === "number") this.#outputTokens = tokens;
    const { stop_reason: reason, stop_details: details } = asObject(delta) ?? {};
    if (typeof reason !== "string") return;
    const explanation = asText(asObject(details)?.explanation) || null;
    this.parts.push({ kind: "end", key, reason, explanation, outputTokens: this.#outputTokens });
  }
}

/** Builds the answer from the first `count` events of a stream (Anthropic Messages wire format). */
export function foldAnswer(events: readonly Pick<PlayerEvent, "json">[], count = events.length): AnswerPart[] {
  const answer = new AnswerBuilder();
  for (let index = 0; index < count; index += 1) {
    const json = events[index]?.json;
    if (json) answer.add(json, `part-${index}`);
  }
  return answer.parts;
}
