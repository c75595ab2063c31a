import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  type Catalogue,
  isFirstTurn,
  listingAdvice,
  type MatchIndex,
  type MatchKey,
  meantId,
  unknownCassette,
} from "#lib/replay/cassettes/index";
import { type Provider, requireProvider } from "#lib/replay/providers/index";
import { type DropInRequest, maxPromptLength } from "./read-request";
import type { MatchKind } from "./schemas";

export type Choice = {
  id: string;
  match: MatchKind;
  /** All recordings of exactly this request in the order in which they were recorded; `id` is the first. */
  repeats?: readonly string[];
};

type NearestInput = { prompt: string; provider: string; limit: number };
export type DropInContext = {
  catalogue: Catalogue;
  /** Returns the site's cassettes with the most similar prompts, best first; `similarity` is from 0 to 1. */
  nearestCassettes: (input: NearestInput) => Promise<{ summary: CassetteSummary; similarity: number }[]>;
};

/** A cassette that the client named, and where; `repeatsEnd`: whether its last turn answers all requests after it. */
export type Named = { id: string; place: string; repeatsEnd?: boolean };

/** Start of the model or API key that names a cassette: `cassette:<id>`. */
export const cassettePrefix = "cassette:";

/** Header of a request that wants the last answer again after the end of a conversation. */
export const afterEndHeader = "x-replay-after-end";

/** Least similarity of a recorded prompt to one that is not named and was not recorded. */
export const minSimilarity = 0.6;
/** Cassettes that the error of a request without a match names. */
const suggestionCount = 3;

/** Which recordings are looked at. */
type Scope = (summary: CassetteSummary) => boolean;
type Search = DropInRequest & { provider: Provider; index: MatchIndex };

function listIds(summaries: readonly Pick<CassetteSummary, "id">[]): string {
  return summaries.map(({ id }) => id).join(", ");
}

function ambiguous(found: readonly CassetteSummary[], reason: string): AppError {
  const message = `${reason} fit more than one recording: ${listIds(found)}. Name one: x-replay-cassette.`;
  // Clients of several providers repeat a request after a 409 unless this header says that it is of no use.
  return new AppError("conflict", message, { headers: { "X-Should-Retry": "false" } });
}

/** Returns the recordings of exactly this request. Secrets in a recorded request are masked, so it is also compared masked. */
function findExact({ key, index, redactedHash }: Search): readonly CassetteSummary[] {
  const found = index.exact(key.hash);
  return found.length === 0 && index.hasRedactions ? index.exact(redactedHash()) : found;
}

/** Without a test, the first of these recordings is played; a test gets them in the order in which they were recorded. */
function exactChoice(found: readonly CassetteSummary[]): Choice {
  const recordedAt = ({ provenance }: CassetteSummary) => Date.parse(provenance.recorded_at);
  const ordered = found.toSorted((a, b) => a.sequence - b.sequence || recordedAt(a) - recordedAt(b));
  return { id: (found[0] as CassetteSummary).id, match: "exact", repeats: ordered.map(({ id }) => id) };
}

/**
 * Returns the turns after the answers that a request continues by their ids alone, or whose whole conversation it repeats.
 * What its user says has to be the same, or the results of tools have to be for the same calls.
 */
function findFollowing({ provider, key, index, lineage, prompt }: Search): readonly CassetteSummary[] {
  if (isFirstTurn(key)) return [];
  const { answered, hasReferences } = lineage();
  const before = key.answeredIds.flatMap((id) => index.withAnswer(provider.name, id));
  const isKnown = (summary: CassetteSummary) =>
    key.answers === 0 || hasReferences || summary.lineage.leads === answered.at(-1);
  const after = before.filter(isKnown).flatMap((summary) => index.after(summary));
  const saysSame: Scope = (summary) =>
    prompt === ""
      ? String(summary.match.answeredIds) === String(key.answeredIds)
      : summary.prompt.slice(0, maxPromptLength) === prompt;
  return [...new Set(after)].filter(saysSame);
}

/**
 * Returns the recordings that continue the same answers, in the first scope that has any: those with the same ids and the
 * same words, else those with one of these.
 */
function findContinued(search: Search, ...scopes: Scope[]): readonly CassetteSummary[] {
  const { provider, key, index, lineage } = search;
  if (isFirstTurn(key)) return [];
  const byIds = index.continuations(provider.name, key.answeredIds);
  const byWords = index.sameWords(lineage());
  const both = byIds.filter((summary) => byWords.includes(summary));
  const found = [both, byIds, byWords].flatMap((each) => scopes.map((isIncluded) => each.filter(isIncluded)));
  return found.find(({ length }) => length > 0) ?? [];
}

function checkProvider({ provider, index }: Search, first: CassetteSummary, { id, place }: Named): void {
  if (first.provider === provider.name) return;
  const { title, upstream } = requireProvider(first.provider);
  const { path } = upstream.pathOf({}, { model: "{model}", isStream: true });
  const mistake = `${place}: ${id} is a recording of ${title}`;
  // A request to a path of no known protocol is not meant for the cassette's.
  if (provider.name === "http") {
    const isMissing = index.ids().every((each) => index.find(each)?.provider !== provider.name);
    const advice = isMissing ? " No cassette here answers it. tapedeck run records one." : "";
    throw new AppError("not_found", `${mistake}, which this path is not for.${advice}`);
  }
  throw new AppError("bad_request", `${mistake}. Send the request to POST ${path}.`);
}

function chooseTurn(search: Search, named: Named): Choice {
  const { key, index } = search;
  const { id, place } = named;
  const first = index.find(id);
  if (!first) throw unknownCassette(index.ids(), id, place);
  const turns = index.conversation(id);
  const isTurn: Scope = (summary) => turns.includes(summary);
  const found = findExact(search);
  const exact = found.filter(isTurn);
  if (exact.includes(first)) {
    const others = exact.filter((summary) => summary !== first);
    return { ...exactChoice([first, ...others]), match: turns.length > 1 ? "exact" : "name" };
  }
  if (exact[0]) return exactChoice(exact);
  // An agent that was recorded into one folder has more than one conversation: a later turn tells which it continues.
  const isBeside: Scope = ({ vertical }) => vertical === first.vertical && !isFirstTurn(key);
  const beside = found.filter(isBeside);
  if (beside[0]) return exactChoice(beside);
  const byHistory = findContinued(search, isTurn, isBeside);
  const continued = byHistory.length > 0 ? byHistory : findFollowing(search).filter(isTurn);
  if (continued.includes(first)) return { id, match: "lineage" };
  if (continued.length > 1) throw ambiguous(continued, "The answers in the request");
  if (continued[0]) return { id: continued[0].id, match: "lineage" };
  checkProvider(search, first, named);
  // A recording of no conversation is played alone.
  if (turns.length === 1 && key.answers <= first.match.answers) return { id, match: "name" };
  const lastAnswers = Math.max(...turns.map(({ match }) => match.answers));
  const last = turns.find(({ match }) => match.answers === lastAnswers) ?? first;
  // A request that continues a response by its id alone does not tell the number of its turn.
  const hasIdsAlone = key.answeredIds.length > 0 && key.answers === 0;
  const isAfterEnd = hasIdsAlone || key.answers > lastAnswers;
  if (isAfterEnd && named.repeatsEnd) return { id: last.id, match: "repeat" };
  const advice = isAfterEnd
    ? ` Author the next turn in a script with continues: ${last.id} (/docs/cassettes#later-turns), or send ${afterEndHeader}: repeat to get the last answer again.`
    : "";
  if (hasIdsAlone) {
    const ids = key.answeredIds.join(", ").slice(0, 200);
    throw new AppError("not_found", `No recording of ${id} continues ${ids}.${advice}`);
  }
  const sameTurn = turns.filter(({ match }) => (isFirstTurn(key) ? isFirstTurn(match) : match.answers === key.answers));
  if (sameTurn.includes(first)) return { id, match: "name" };
  if (sameTurn.length > 1) throw ambiguous(sameTurn, "The number of turns does not tell which; they");
  if (sameTurn[0]) return { id: sameTurn[0].id, match: "turn" };
  const recorded = [...new Set(turns.map(({ match }) => match.answers))].sort((a, b) => a - b).join(", ");
  const message = `${id} has recordings for requests with this many earlier answers: ${recorded}. This one has ${key.answers}.${advice}`;
  throw new AppError("not_found", message);
}

/** A recorded answer is played only for the model that gave it; an authored one for any. */
export function hasModel({ provenance, match }: CassetteSummary, { model }: MatchKey): boolean {
  return provenance.kind === "authored" || match.model === model;
}

async function chooseUnnamed(context: DropInContext, search: Search): Promise<Choice> {
  const { provider, key, prompt, lineage, index } = search;
  const same = findExact(search);
  const exact = same.filter((summary) => hasModel(summary, key));
  if (exact[0]) return exactChoice(exact);
  // Servers that number their calls give the same ids in every conversation. Those that take references do not.
  const isSame: Scope = (recorded) =>
    recorded.parentId !== null ||
    lineage().hasReferences ||
    recorded.lineage.hasReferences ||
    recorded.lineage.answered.at(-1) === lineage().answered.at(-1);
  const isModels: Scope = (summary) => hasModel(summary, key);
  const byHistory = findContinued(search, (summary) => isModels(summary) && isSame(summary));
  const continued = byHistory.length > 0 ? byHistory : findFollowing(search).filter(isModels);
  if (continued.length > 1) throw ambiguous(continued, "The answers in the request");
  if (continued[0]) return { id: continued[0].id, match: "lineage" };
  const near =
    key.operation === "generate"
      ? await context.nearestCassettes({ prompt, provider: provider.name, limit: suggestionCount })
      : [];
  const [nearest] = near;
  if (nearest && isFirstTurn(key) && nearest.similarity >= minSimilarity) {
    return { id: nearest.summary.id, match: "nearest" };
  }
  const named = key.model === null ? undefined : index.find(meantId(key.model));
  const isNamed = named ? ` Did you mean ${cassettePrefix}${named.id}?` : "";
  const otherModels = same
    .slice(0, suggestionCount)
    .map(({ id, match }) => ` ${id} is the same for model ${match.model}.`);
  const nearestIds = near.length > 0 ? ` Nearest: ${listIds(near.map(({ summary }) => summary))}.` : "";
  const advice = `Name a cassette as model: cassette:<id>, or in the header x-replay-cassette. ${listingAdvice} POST /api/v1/match says what differs.`;
  throw new AppError(
    "not_found",
    `No recording fits this request.${isNamed}${otherModels.join("")}${nearestIds} ${advice}`,
  );
}

/**
 * Returns the cassette for a request to a provider. If one is named, it or the turn of its conversation that fits: the
 * exact request, else the one that continues the same answers, else the one with as many earlier answers. Otherwise the exact
 * request or the same answers in any folder, else, for a first turn, the site's most similar prompt. A turn is never played
 * for another one. Throws AppError not_found, conflict, bad_request and service_unavailable.
 */
export async function chooseCassette(
  context: DropInContext,
  { provider, request, named }: { provider: Provider; request: DropInRequest; named: Named | null },
): Promise<Choice> {
  const search = { ...request, provider, index: await context.catalogue.matchIndex() };
  return named ? chooseTurn(search, named) : chooseUnnamed(context, search);
}
