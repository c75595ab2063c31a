import pLimit from "p-limit";
import { bundledModels, type ModelCatalogue } from "#lib/models/index";
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
import { shorten } from "../audit/audit-text";
import type { NamedTape } from "../tape-folders";

const concurrency = 4;

/** Where a request is recorded. */
export type Recording = { test: string; file: string };

export type RepeatedCall = Recording & {
  exchange: Exchange;
  /** What requests have in common whose answers have one form: protocol, model, and whether it is a stream. */
  group: string;
  recorded: VerifiedCassette;
  repeated: Repeated;
};

export type RepeatedCalls = {
  calls: RepeatedCall[];
  /** Why requests were left out, and which for each reason. */
  leftOut: { reason: string; count: number; recordings: Recording[] }[];
  /** Requests that were sent and got no answer. */
  unanswered: (Recording & { reason: string })[];
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

/** The vendors, as the catalogue names them, whose models the servers of a protocol have. */
const vendors: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  gemini: "google",
  "openai-chat": "openai",
  "openai-responses": "openai",
};

/** Returns the vendor of a model; the catalogue lists Google's on Vertex apart. */
function vendorOfModel(name: string, { names }: ModelCatalogue): string | undefined {
  const provider = names.find(name)?.provider;
  return provider === "vertex" ? "google" : provider;
}

/** Returns whose models a request can ask for, as far as is known: servers that speak OpenAI's protocols have any vendor's. */
function vendorOf({ provider, request }: Exchange, { environment }: Again, catalogue: ModelCatalogue): string | null {
  const vendor = vendors[provider.name];
  if (vendor === undefined || (vendor === "openai" && environment.OPENAI_BASE_URL)) return null;
  const model = modelOf(provider, request);
  return (model === null ? undefined : vendorOfModel(model, catalogue)) ?? vendor;
}

/** Returns why a request is not for the other model; null if it may be. Gateways put a vendor and a slash before their names. */
function whyNotModel(exchange: Exchange, again: Again, catalogue: ModelCatalogue): string | null {
  if (again.model === undefined || again.model.includes("/")) return null;
  const wanted = vendorOfModel(again.model, catalogue);
  const vendor = vendorOf(exchange, again, catalogue);
  if (wanted === undefined || vendor === null || wanted === vendor) return null;
  return `it asks a model of ${vendor}, and ${again.model} is one of ${wanted}`;
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
  const leftOut = new Map<string, Recording[]>();
  const chosen: (Waiting & { recorded: VerifiedCassette })[] = [];
  const waiting = inTurns(tapes);
  const catalogue = bundledModels(new Date());
  let seen = 0;
  for (; seen < waiting.length && chosen.length < limit; seen += 1) {
    const next = waiting[seen] as Waiting;
    const recorded = await next.tape.readAnswer(next.exchange);
    const server = parseUrl(String(recorded.cassette.provenance.source.base_url ?? ""))?.host ?? "an unknown server";
    const obstacle =
      whyNotModel(next.exchange, again, catalogue) ??
      whyNotAgain(next.exchange, { host: server, status: recorded.cassette.response.status }, again);
    if (obstacle === null) chosen.push({ ...next, recorded });
    else {
      const { tape, exchange } = next;
      leftOut.set(obstacle, [...(leftOut.get(obstacle) ?? []), { test: tape.test, file: exchange.file }]);
    }
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
  const unanswered = calls.flatMap(({ test, file, repeated }) =>
    repeated.kind === "unanswered" ? [{ test, file, reason: repeated.reason }] : [],
  );
  const reasons = [...leftOut].map(([reason, recordings]) => ({ reason, count: recordings.length, recordings }));
  return { calls, leftOut: reasons, unanswered, unsent: waiting.length - seen };
}

/** Names the first of some recordings. */
export const recordingsText = (recordings: readonly Recording[]): string =>
  shorten(recordings.map(({ test, file }) => `${file} of ${test}`));

/** Names the requests that were left out for a reason. */
export const leftOutText = ({ reason, recordings }: RepeatedCalls["leftOut"][number]): string =>
  `${recordingsText(recordings)}, since ${reason}`;

/** Returns what was not sent, and what got no answer, as lines. */
export function describeMissing({ leftOut, unanswered, unsent }: RepeatedCalls): string[] {
  return [
    ...unanswered.map(({ test, file, reason }) => `  no answer to ${file} of ${test}: ${reason}`),
    ...leftOut.map((each) => `  left out: ${leftOutText(each)}`),
    ...(unsent > 0 ? [`  not sent: ${unsent} beyond --limit`] : []),
  ];
}
