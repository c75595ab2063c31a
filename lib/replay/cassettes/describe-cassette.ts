import { type FoldedMessage, foldMessage } from "./fold-message";
import type { VerifiedCassette } from "./parse-cassette";
import { readEvents } from "./read-events";
import type { Cassette, Vertical } from "./schemas";

export const cassetteFeatures = ["thinking", "tools", "citations"] as const;
export type CassetteFeature = (typeof cassetteFeatures)[number];

/** The metadata of a cassette that the catalogue keeps in memory. */
export type CassetteSummary = {
  id: string;
  vertical: Vertical;
  slug: string;
  title: string;
  subtitle: string;
  /** Model named in the response; `tapedeck-authored` for authored cassettes. */
  model: string;
  provenance: Cassette["provenance"];
  status: number;
  end: Cassette["end"];
  usage: Cassette["usage"];
  chunkCount: number;
  byteSize: number;
  durationMs: number;
  /** What the response contains besides text. */
  features: CassetteFeature[];
  /** The last user message, as text. */
  prompt: string;
  /** The assistant's visible text, all blocks joined. */
  text: string;
};

/** Longest prompt and text kept for search, in characters. */
const maxTextLength = 50_000;

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (typeof block?.text === "string" ? block.text : "")).join("");
}

/** Returns the text of the last non-empty user message of a Messages request. */
export function promptOf(body: Record<string, unknown>): string {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const texts = messages.filter((message) => message?.role === "user").map((message) => textOf(message.content));
  return (texts.findLast((text) => text.trim() !== "") ?? "").slice(0, maxTextLength);
}

const featureOfBlock: Record<CassetteFeature, (block: Record<string, unknown>) => boolean> = {
  thinking: ({ type }) => /thinking$/.test(String(type)),
  tools: ({ type }) => /tool_use$/.test(String(type)),
  citations: ({ citations }) => Array.isArray(citations) && citations.length > 0,
};

function featuresOf(content: unknown): CassetteFeature[] {
  const blocks: Record<string, unknown>[] = Array.isArray(content) ? content : [];
  return cassetteFeatures.filter((feature) => blocks.some(featureOfBlock[feature]));
}

function modelOf({ message }: FoldedMessage, body: Record<string, unknown>): string {
  const model = message?.model ?? body.model;
  return typeof model === "string" ? model : "unknown";
}

/** Returns the metadata of a verified cassette. */
export function describeCassette({ cassette, chunks, durationMs }: VerifiedCassette): CassetteSummary {
  const [vertical, slug] = cassette.id.split("/") as [Vertical, string];
  const folded = foldMessage(readEvents(chunks));
  return {
    id: cassette.id,
    vertical,
    slug,
    title: cassette.title,
    subtitle: cassette.subtitle,
    model: modelOf(folded, cassette.request.body),
    provenance: cassette.provenance,
    status: cassette.response.status,
    end: cassette.end,
    usage: cassette.usage,
    chunkCount: chunks.length,
    byteSize: chunks.reduce((sum, { bytes }) => sum + bytes.length, 0),
    durationMs,
    features: featuresOf(folded.message?.content),
    prompt: promptOf(cassette.request.body),
    text: textOf(folded.message?.content).slice(0, maxTextLength),
  };
}
