import pLimit from "p-limit";
import { parseUrl } from "#lib/platform/parse-url";
import { objectOf, type VerifiedCassette } from "#lib/replay/cassettes/index";
import {
  type Again,
  type Exchange,
  modelOf,
  type Repeated,
  sendAgain,
  type Tape,
  whyNotAgain,
} from "#lib/replay/recording-proxy/index";

import type { NamedTape } from "../tape-folders";

const concurrency = 4;

export type RepeatedCall = {
  test: string;
  file: string;
  exchange: Exchange;
  /** What requests have in common whose answers have one form: protocol, model, and whether it is a stream. */
  group: string;
  recorded: VerifiedCassette;
  repeated: Repeated;
};

export type RepeatedCalls = {
  calls: RepeatedCall[];
  /** Why requests were left out, and how many for each reason. */
  leftOut: Map<string, number>;
  /** Requests beyond the limit. */
  unsent: number;
};

type Waiting = Pick<RepeatedCall, "exchange" | "group"> & { tape: Tape; rank: number };

/** Returns the requests of some tapes so that those of each group come early: the first of each, then the second. */
function inTurns(tapes: readonly NamedTape[]): Waiting[] {
  const counts = new Map<string, number>();
  const waiting = tapes.flatMap(({ tape, files }) =>
    tape.exchanges
      .filter(({ file }) => files?.has(file) ?? true)
      .map((exchange): Waiting => {
        const { provider, request } = exchange;
        const form = provider.formOf({ ...request, body: objectOf(request.body) });
        const group = `${provider.name} ${modelOf(provider, request) ?? "no model"}${form === "whole" ? "" : " (stream)"}`;
        const rank = counts.get(group) ?? 0;
        counts.set(group, rank + 1);
        return { tape, exchange, group, rank };
      }),
  );
  return waiting.sort((a, b) => a.rank - b.rank);
}

/**
 * Sends the requests of tapes to their providers again, at most `limit`, and returns the answers beside the recorded ones, in
 * the order of the tapes. Throws TapeError, and RecordError if it is interrupted.
 */
export async function repeatRequests(
  tapes: readonly NamedTape[],
  again: Again,
  { limit }: { limit: number },
): Promise<RepeatedCalls> {
  const leftOut = new Map<string, number>();
  const chosen: (Waiting & { recorded: VerifiedCassette })[] = [];
  const waiting = inTurns(tapes);
  let seen = 0;
  for (; seen < waiting.length && chosen.length < limit; seen += 1) {
    const next = waiting[seen] as Waiting;
    const recorded = await next.tape.readAnswer(next.exchange);
    const server = parseUrl(String(recorded.cassette.provenance.source.base_url ?? ""))?.host ?? "an unknown server";
    const obstacle = whyNotAgain(next.exchange, server, again);
    if (obstacle === null) chosen.push({ ...next, recorded });
    else leftOut.set(obstacle, (leftOut.get(obstacle) ?? 0) + 1);
  }
  const places = new Map(tapes.flatMap(({ tape }) => tape.exchanges).map((exchange, index) => [exchange, index]));
  const placeOf = ({ exchange }: { exchange: Exchange }) => places.get(exchange) ?? 0;
  const calls = await pLimit(concurrency).map(
    chosen.sort((a, b) => placeOf(a) - placeOf(b)),
    async ({ tape, exchange, group, recorded }): Promise<RepeatedCall> => {
      const repeated = await sendAgain(exchange, again);
      return { test: tape.test, file: exchange.file, exchange, group, recorded, repeated };
    },
  );
  return { calls, leftOut, unsent: waiting.length - seen };
}

/** Returns what was not sent, and what got no answer, as lines. */
export function describeMissing({ calls, leftOut, unsent }: RepeatedCalls): string[] {
  const unanswered = calls.flatMap(({ test, file, repeated }) =>
    repeated.kind === "unanswered" ? [`  no answer to ${file} of ${test}: ${repeated.reason}`] : [],
  );
  return [
    ...unanswered,
    ...[...leftOut].map(([reason, count]) => `  left out: ${count}, since ${reason}`),
    ...(unsent > 0 ? [`  not sent: ${unsent} beyond --limit`] : []),
  ];
}
