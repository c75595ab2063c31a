import {
  type Answer,
  type AnswerPart,
  objectsOf,
  type Provider,
  type ProviderRequest,
} from "#lib/replay/providers/index";
import { hashJson, jsonOrText } from "./encoding";
import type { Parent } from "./format";

/** Where a request stands in its conversation. All hashes are of what was said, without what tools returned. */
export type Lineage = {
  /** Hashes of the conversation up to each earlier answer, oldest first; only the newest of a long one. */
  answered: string[];
  /** Hash of the conversation up to the last earlier answer, and of what the user says after it; null for a first turn. */
  continued: string | null;
  /** Whether the request only names earlier answers by their ids, so that the hashes tell nothing. */
  hasReferences: boolean;
};

export type RecordedLineage = Lineage & {
  /** Hash of the conversation up to this answer; null if that is unknown. */
  leads: string | null;
  /** Ids by which a later request can name the answer and its tool calls. */
  ids: string[];
};

/** Most hashes kept of one request. */
const maxHashCount = 100;
/** Characters kept of a hash. */
const hashLength = 20;

function shortHash(...parts: unknown[]): string {
  return hashJson(parts).slice(0, hashLength);
}

/** Returns the hash of a conversation and an answer: its text and its tool calls, as clients repeat them. */
function afterAnswer(before: string, parts: readonly AnswerPart[]): string {
  const text = parts.flatMap((part) => (part.kind === "text" || part.kind === "refusal" ? [part.text] : [])).join("");
  const calls = parts.flatMap((part) =>
    part.kind === "tool" && !part.isServer ? [[part.name, jsonOrText(part.input)]] : [],
  );
  return shortHash(before, text.trim(), calls);
}

type History = { hashes: string[]; lineage: Lineage };

function readHistory(provider: Provider, request: ProviderRequest): History {
  const name = provider.historyField.slice(1);
  const items = objectsOf(request.body?.[name]);
  const isAnswer = items.map(provider.isFromModel);
  const promptOf = (history: unknown) =>
    provider.readQuestion({ ...request, body: { ...request.body, [name]: history } }).prompt;
  const first = isAnswer.indexOf(true);
  const hashes = [shortHash(provider.name, promptOf(first < 0 ? request.body?.[name] : items.slice(0, first)))];
  for (let start = first; start >= 0; start = isAnswer.indexOf(true, start)) {
    const next = isAnswer.indexOf(false, start);
    const end = next < 0 ? items.length : next;
    const { parts } = provider.readAnswer(provider.answerOf(items.slice(start, end)));
    hashes.push(afterAnswer(hashes.at(-1) as string, parts));
    start = end;
  }
  const last = isAnswer.lastIndexOf(true);
  const continued = last < 0 ? null : shortHash(hashes.at(-1), promptOf(items.slice(last + 1)));
  if (items.some((item) => provider.isReference?.(item)))
    return { hashes: [], lineage: { answered: [], continued: null, hasReferences: true } };
  const answered = hashes.slice(1).slice(-maxHashCount);
  return { hashes, lineage: { answered, continued, hasReferences: false } };
}

/** Returns where a complete request stands in its conversation. */
export function lineageOf(provider: Provider, request: ProviderRequest): Lineage {
  return readHistory(provider, request).lineage;
}

/** Returns where a recorded exchange stands. A request that lacks the turns of its parent does not tell. */
export function recordedLineage(
  provider: Provider,
  { parent, ...request }: ProviderRequest & { parent: Parent | undefined },
  answer: Answer | null,
): RecordedLineage {
  const ids = answer?.ids ?? [];
  if (parent) return { answered: [], continued: null, hasReferences: false, leads: null, ids };
  const { hashes, lineage } = readHistory(provider, request);
  const before = hashes.at(-1);
  return { ...lineage, leads: answer && before !== undefined ? afterAnswer(before, answer.parts) : null, ids };
}
