import { type AnswerPart, requireProvider } from "#lib/replay/providers/index";
import type { Cassette } from "./format";
import { type RecordedLineage, recordedLineage } from "./lineage";
import type { VerifiedCassette } from "./parse-cassette";
import { readRecordedAnswer } from "./read-answer";
import { type MatchKey, matchKeyOf, providerRequest } from "./request";

export const cassetteFeatures = ["thinking", "tools", "citations"] as const;
export type CassetteFeature = (typeof cassetteFeatures)[number];

/** The metadata of a cassette that the catalogue keeps in memory. */
export type CassetteSummary = {
  id: string;
  /** Folder of the id; one of the verticals for the cassettes of sites. */
  vertical: string;
  slug: string;
  title: string;
  subtitle: string;
  /** Name of the provider's protocol. */
  provider: string;
  /** Model named in the response; `tapedeck-authored` for authored cassettes. */
  model: string;
  provenance: Cassette["provenance"];
  status: number;
  end: Cassette["end"];
  usage: Cassette["usage"];
  chunkCount: number;
  byteSize: number;
  durationMs: number;
  /** What requests for this cassette are matched by. */
  match: MatchKey;
  /** Where the exchange stands in its conversation. */
  lineage: RecordedLineage;
  /** Cassette of the turn before, if the file names it. */
  parentId: string | null;
  /** Whether secrets in the request were masked. */
  hasRedactions: boolean;
  /** Position among recordings of the same request. */
  sequence: number;
  /** Path of the request, and the tools that the answer calls. */
  path: string;
  tools: string[];
  /** What the response contains besides text. */
  features: CassetteFeature[];
  /** The last user message, as text. */
  prompt: string;
  /** The assistant's visible text, all blocks joined; its tool calls, if it has no text. */
  text: string;
};

/** Longest prompt and text kept for search, in characters. */
const maxTextLength = 50_000;

const maxToolCount = 20;

const featureOfPart: Record<CassetteFeature, (part: AnswerPart) => boolean> = {
  thinking: ({ kind }) => kind === "thinking",
  tools: ({ kind }) => kind === "tool",
  citations: (part) => part.kind === "text" && part.citations.length > 0,
};

/** Returns the visible text of an answer, without thinking and tools. If it has none, returns its tool calls. */
export function visibleText(parts: readonly AnswerPart[]): string {
  const text = parts.map((part) => (part.kind === "text" || part.kind === "refusal" ? part.text : "")).join("");
  if (text !== "") return text;
  return parts.flatMap((part) => (part.kind === "tool" ? [`Calls ${part.name} ${part.input}`] : [])).join("\n");
}

export function describeCassette({ cassette, chunks, durationMs }: VerifiedCassette): CassetteSummary {
  const [folder, slug] = cassette.id.split("/") as [string, string];
  const { request, response } = cassette;
  const provider = requireProvider(cassette.provider);
  const asked = providerRequest(request);
  const question = provider.readQuestion(asked);
  const { answer } = readRecordedAnswer(provider, { headers: response.headers, chunks });
  const parts = answer?.parts ?? [];
  return {
    id: cassette.id,
    vertical: folder,
    slug,
    title: cassette.title,
    subtitle: cassette.subtitle,
    provider: provider.name,
    model: answer?.model ?? question.model ?? "unknown",
    provenance: cassette.provenance,
    status: response.status,
    end: cassette.end,
    usage: cassette.usage,
    chunkCount: chunks.length,
    byteSize: chunks.reduce((sum, { bytes }) => sum + bytes.length, 0),
    durationMs,
    match: matchKeyOf(provider, request),
    lineage: recordedLineage(provider, { ...asked, parent: request.parent }, answer),
    parentId: request.parent?.id ?? null,
    hasRedactions: request.redactions.length > 0,
    sequence: request.sequence ?? 1,
    path: request.path,
    tools: [...new Set(parts.flatMap((part) => (part.kind === "tool" ? [part.name] : [])))].slice(0, maxToolCount),
    features: cassetteFeatures.filter((feature) => parts.some(featureOfPart[feature])),
    prompt: question.prompt.slice(0, maxTextLength),
    text: visibleText(parts).slice(0, maxTextLength),
  };
}
