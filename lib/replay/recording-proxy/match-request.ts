import type { JsonDifference } from "#lib/platform/json-difference";
import { objectOf } from "#lib/replay/cassettes/index";
import { localName } from "#lib/replay/interception/index";
import { http, type Provider } from "#lib/replay/providers/index";
import type { Matching, Repeats } from "./config";
import { compareTimes, equalMs } from "./moved-times";
import { commonPlace, type RunPlace } from "./run-place";
import {
  compareRequests,
  matchKey,
  matchKeyWithoutResults,
  placeOf,
  replaceVolatileParts,
  type TapeRequest,
  timesOf,
} from "./tape-request";

/** An exchange on a tape, as far as it is matched. */
export type Matchable = {
  provider: Provider;
  request: TapeRequest;
  /** `matchKey` of the request. */
  key: string;
  isPlayed: boolean;
  /** Whether it was played only for a request that differs, so that the first exactly equal one still gets it. */
  isLoose?: boolean;
  /** Whether the answer is an error, or ended with one. */
  isError: boolean;
};

/** Ends of the pointers of ids. */
const idName = /[/_]id$/;

export type Match<T> =
  /**
   * `differences` is empty for an exact match; else the requests differ only in volatile texts, and with `isInResults` in
   * what tools returned, which the differences are then.
   */
  | { kind: "match"; exchange: T; differences: JsonDifference[]; isInResults?: boolean }
  /**
   * `findNearest` returns the recording of the nearest turn and of the same path with the fewest differences, of which ids count
   * least; of several, an unplayed one, then the most similar.
   */
  | { kind: "miss"; reason: string; findNearest: () => Compared<T> | null };
type Compared<T> = { exchange: T; differences: JsonDifference[] };

export type MatchOptions = {
  volatile: readonly string[];
  volatileText?: readonly RegExp[];
  isExact: boolean;
  matching?: Matching;
  repeats?: Repeats;
};

function historyLength(provider: Provider, { body }: TapeRequest): number {
  const history = objectOf(body)?.[provider.historyField.slice(1)];
  return Array.isArray(history) ? history.length : 0;
}

/** Whether two requests may be for one server. One that a base URL led to the proxy names none. */
function isSameHost({ host: a }: TapeRequest, { host: b }: TapeRequest): boolean {
  return a === undefined || b === undefined || localName(a) === localName(b);
}

/** Returns what recordings that play by order are chosen by. The order of a query's parameters does not count. */
function placeKey(provider: Provider, request: TapeRequest): string {
  const parameters = new URLSearchParams(request.query);
  parameters.sort();
  return `${placeOf(provider, request)}?${parameters}`;
}

/** Returns the length of what differs, in UTF-16 units: from the first to the last character of each value that is not the same. */
function changedLength(differences: readonly JsonDifference[]): number {
  return differences.reduce((sum, { before, after }) => {
    const [a = "", b = ""] = [before, after].map((value) =>
      typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
    );
    const shorter = Math.min(a.length, b.length);
    let start = 0;
    while (start < shorter && a[start] === b[start]) start += 1;
    let end = 0;
    while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
    return sum + a.length + b.length - 2 * (start + end);
  }, 0);
}

/** Whether a recording can still be played for a request that is exactly equal. */
export function isLeftForExact({ isPlayed, isLoose = false }: Matchable): boolean {
  return !isPlayed || isLoose;
}

/** Returns a count of times in words. */
export function timesText(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/**
 * Finds the recording of a request: the first one of exactly this request that no exact one got. If exactly this request
 * was never recorded, the first unplayed one that differs only in volatile texts, such as times that moved as the clock did,
 * and if there is none, also in the folder, the home directory and the day of its run; or else the first unplayed one of the
 * only request that differs only in these and in what tools returned. Never a guess: anything else is a miss.
 * By order, the first unplayed one of its method and URL. Where none that matches is unplayed, the last of those that may
 * be repeated.
 */
export function matchRequest<T extends Matchable>(
  exchanges: readonly T[],
  provider: Provider,
  request: TapeRequest,
  { volatile, volatileText = [], isExact, matching, repeats = "none" }: MatchOptions,
): Match<T> {
  const key = matchKey(provider, request, volatile);
  const sameHost = exchanges.filter((exchange) => isSameHost(exchange.request, request));
  const exact = sameHost.filter((exchange) => exchange.key === key);
  const isUnplayed = ({ isPlayed }: T) => !isPlayed;
  const mayRepeat = ({ isError }: T) => repeats === "all" || (repeats === "complete" && !isError);
  const again = (found: readonly T[]) => found.findLast(mayRepeat);
  const isByOrder = matching === "order";
  const next = isByOrder ? exact.find(isUnplayed) : (exact.find(isLeftForExact) ?? again(exact));
  if (next) return { kind: "match", exchange: next, differences: [] };
  const sameProtocol = sameHost.filter((exchange) => exchange.provider === provider);
  const compare = (exchange: T): Compared<T> => ({
    exchange,
    differences: compareRequests(provider, exchange.request, request, volatile),
  });
  if (isByOrder) {
    const place = placeKey(provider, request);
    const samePlace = sameProtocol.filter((exchange) => placeKey(provider, exchange.request) === place);
    const first = samePlace.find(isUnplayed) ?? again(exact) ?? again(samePlace);
    if (first) return { kind: "match", ...compare(first) };
    if (samePlace.length > 0) {
      const reason = `This method and URL was recorded ${timesText(samePlace.length)}, ${allPlayed}`;
      return { kind: "miss", reason, findNearest: () => null };
    }
  }
  /** Recordings that differ only in times, of which some did not move as the clock did. */
  const outdated = new Set<T>();
  /**
   * Returns the recordings with the key of the request: as it is, or else without the place and the day of each. Of those that
   * differ in times, those whose times are nearest to what the clock did; unplayed ones come first.
   */
  const withKey = (
    candidates: readonly T[],
    keyOf: (asked: TapeRequest, place?: RunPlace) => string | null,
    withResults: boolean,
  ) => {
    const key = keyOf(request);
    const nearest = (found: readonly T[], isPlaced: boolean) => {
      const options = { volatile, volatileText, withResults };
      const off = new Map(
        found.map((exchange) => {
          const { place } = exchange.request;
          const [before, now] = isPlaced ? [place, commonPlace(request.place, place)] : [];
          const recorded = timesOf(provider, exchange.request, options, before);
          return [exchange, compareTimes(recorded, timesOf(provider, request, options, now))];
        }),
      );
      for (const [exchange, offMs] of off) if (offMs === Infinity) outdated.add(exchange);
      const fitting = found.filter((exchange) => off.get(exchange) !== Infinity);
      const unplayed = fitting.filter(isUnplayed);
      const usable = unplayed.length > 0 ? unplayed : fitting.filter(mayRepeat);
      const leastMs = Math.min(...usable.map((exchange) => off.get(exchange) ?? 0));
      return usable.filter((exchange) => (off.get(exchange) ?? 0) <= leastMs + equalMs);
    };
    const found = candidates.filter((exchange) => key !== null && keyOf(exchange.request) === key);
    // What an answer of plain HTTP names cannot be moved: it may be the event stream of Amazon Bedrock.
    if (found.length > 0 || keyOf(request, request.place) === key || provider === http) return nearest(found, false);
    const placed = candidates.filter(
      ({ request: { place }, request: recorded }) =>
        keyOf(recorded, place) === keyOf(request, commonPlace(request.place, place)),
    );
    return nearest(placed, true);
  };
  const keyOf = (asked: TapeRequest, place?: RunPlace) => matchKey(provider, asked, volatile, volatileText, place);
  if (!isExact && exact.length === 0) {
    const found = withKey(sameProtocol, keyOf, true);
    const same = found.find(isUnplayed) ?? again(found);
    if (same) return { kind: "match", ...compare(same) };
  }
  const isStrict = isExact || matching === "results";
  const usable = isStrict ? [] : sameProtocol.filter((exchange) => isUnplayed(exchange) || mayRepeat(exchange));
  const sameButResults = withKey(
    usable,
    (asked, place) => matchKeyWithoutResults(provider, asked, volatile, volatileText, place),
    false,
  );
  const requestCount = new Set(sameButResults.map(({ request: recorded }) => keyOf(recorded, recorded.place))).size;
  const only = sameButResults.find(isUnplayed) ?? sameButResults.at(-1);
  const steady = (asked: TapeRequest, place?: RunPlace) =>
    isExact ? asked : replaceVolatileParts(asked, volatileText, place);
  /** Returns what a miss is about: texts that are not compared would hide it. */
  const steadyComparer = () => {
    const known = new Map<string, TapeRequest>();
    return (exchange: T): Compared<T> => {
      const { folder, home } = exchange.request.place ?? {};
      const isPlaced = provider !== http && (folder !== undefined || home !== undefined);
      const place = isPlaced ? commonPlace(request.place, exchange.request.place) : undefined;
      const name = JSON.stringify(place) ?? "";
      const asked = known.get(name) ?? steady(request, place);
      known.set(name, asked);
      const recorded = steady(exchange.request, isPlaced ? exchange.request.place : undefined);
      const differences = compareRequests(provider, recorded, asked, volatile);
      return differences.length > 0 ? { exchange, differences } : compare(exchange);
    };
  };
  if (only && requestCount === 1 && exact.length === 0)
    return { kind: "match", ...steadyComparer()(only), isInResults: true };
  const findNearest = () => {
    const [late] = [...outdated].sort((a, b) => Number(a.isPlayed) - Number(b.isPlayed));
    if (late) return compare(late);
    const different = sameProtocol.map(steadyComparer()).filter(({ differences }) => differences.length > 0);
    // Of a conversation, the same turn is nearest, however many places differ in it.
    const turns = historyLength(provider, request);
    const distance = ({ exchange }: Compared<T>) => Math.abs(historyLength(provider, exchange.request) - turns);
    // Of calls of a model, the path may only name another one.
    const place = provider.operationOf(request) === "generate" ? null : placeOf(provider, request);
    const order = different.map((one) => {
      const { exchange, differences } = one;
      const texts = differences.filter(({ pointer }) => !idName.test(pointer));
      const isElsewhere = place !== null && placeOf(provider, exchange.request) !== place;
      const counts = [distance(one), Number(isElsewhere), texts.length, differences.length];
      return { one, ranks: [...counts, Number(exchange.isPlayed), changedLength(differences)] };
    });
    const byRanks = (a: readonly number[], b: readonly number[]) =>
      a.reduce((found, rank, index) => found || rank - (b[index] ?? 0), 0);
    return order.sort((a, b) => byRanks(a.ranks, b.ranks))[0]?.one ?? null;
  };
  const reason =
    outdated.size > 0 && exact.length === 0 ? outdatedReason : reasonOf(exchanges.length, exact.length, requestCount);
  return { kind: "miss", reason, findNearest };
}

/** End of the reason of a miss for which there were recordings. */
export const allPlayed = "and each recording has been played";
/** Reason of a miss that differs only in times. */
const outdatedReason =
  "A time in it changed by more than the clock did since it was recorded; if it does in each run, name it under volatile, or volatile_text, of tapedeck.config.json";
/** Reason of a miss that needs no words of its own. */
export const notRecorded = "No recording has this request";

function reasonOf(count: number, exactCount: number, requestCount: number): string {
  if (exactCount > 0) return `This request was recorded ${timesText(exactCount)}, ${allPlayed}`;
  if (requestCount > 1)
    return `${requestCount} recorded requests differ only in what tools returned, so none is chosen`;
  return count === 0 ? "The tape has no recordings" : notRecorded;
}
