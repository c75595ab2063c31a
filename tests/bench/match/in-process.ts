import { sites } from "#lib/contract/sites";
import { findNearestCassettes } from "#lib/discovery/search/index";
import { systemClock } from "#lib/platform/clock";
import { log } from "#lib/platform/log";
import { Catalogue } from "#lib/replay/cassettes/catalogue";
import { folderStore } from "#lib/replay/cassettes/stores/folder-store";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { replayAnswer } from "#lib/replay/playback/index";
import { readRequest } from "#lib/replay/playback/read-request";
import { anthropic } from "#lib/replay/providers/index";
import { quantileOfSorted } from "../replay/percentiles";
import type { Corpus } from "./corpus";
import type { Probe } from "./probes";

type Matcher = { context: Parameters<typeof chooseCassette>[0]; takeReads: () => string[] };

/** Loads a corpus as the server does, with no recording kept in memory. `takeReads` returns the files read since. */
async function openMatcher({ folder }: Corpus): Promise<Matcher> {
  const { list, read, readSequences } = folderStore(folder);
  let ids: string[] = [];
  const catalogue = new Catalogue({
    store: {
      kind: "folder",
      list,
      read: (id) => {
        ids.push(id);
        return read(id);
      },
      readSequences,
    },
    log: log(),
    monotonicMs: systemClock.monotonicMs,
    maxAgeMs: Number.POSITIVE_INFINITY,
    maxCachedByteSize: 1,
  });
  await catalogue.matchIndex();
  const [site] = sites;
  const takeReads = () => {
    const taken = ids;
    ids = [];
    return taken;
  };
  takeReads();
  const nearestCassettes: Matcher["context"]["nearestCassettes"] = (input) =>
    findNearestCassettes({ catalogue, site }, input);
  return { context: { catalogue, nearestCassettes }, takeReads };
}

const sourceOf = ({ body }: Probe) => ({
  endpointId: "createMessage",
  provider: "anthropic",
  path: "/v1/messages",
  query: "",
  bytes: Buffer.from(JSON.stringify(body)),
  contentType: null,
});
const noRedactions = async () => false;

/** What a request read from the store, and what it played; null for a miss. */
export type Reads = { kind: string; read: string[]; played: string | null };

/** Sends each request to the code behind the endpoint; returns the files that it reads. */
async function countReads({ context, takeReads }: Matcher, probes: readonly Probe[]): Promise<Reads[]> {
  const results: Reads[] = [];
  for (const probe of probes) {
    const input = { source: sourceOf(probe), header: () => null, requestId: "bench" };
    const played = await replayAnswer(context, input).then(
      ({ headers }) => headers["X-Replay-Cassette"] ?? null,
      () => null,
    );
    results.push({ kind: probe.kind, read: takeReads(), played });
  }
  return results;
}

/**
 * Returns the processor time, in milliseconds, of choosing the cassette for a request: it does not include the turns that
 * other processes take.
 */
async function timeChoice({ context }: Matcher, probe: Probe): Promise<number> {
  const { model } = probe.body as { model: string };
  const named = model.startsWith("cassette:") ? { id: model.slice("cassette:".length), place: "model" } : null;
  const source = sourceOf(probe);
  const start = process.cpuUsage();
  const request = await readRequest(source, noRedactions);
  await chooseCassette(context, { provider: anthropic, request, named }).catch(() => null);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Processor time of choosing a cassette, for each corpus. */
export type Choice = { kind: string; p50Ms: number[]; p99Ms: number[] };

async function timeChoices(matchers: readonly Matcher[], probe: Probe, count: number): Promise<Choice> {
  const times = matchers.map((): number[] => []);
  const warmUpCount = 200;
  for (let number = 0; number < warmUpCount + count; number++) {
    for (const [index, matcher] of matchers.entries()) {
      const tookMs = await timeChoice(matcher, probe);
      if (number >= warmUpCount) times[index]?.push(tookMs);
    }
  }
  const sorted = times.map((each) => each.sort((a, b) => a - b));
  const quantile = (share: number) => sorted.map((each) => quantileOfSorted(each, share));
  return { kind: probe.kind, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** Measures matching in this process: the choice with each corpus, and the files that the last one reads. */
export async function measureInProcess(corpora: readonly Corpus[], probes: readonly Probe[], count: number) {
  const matchers: Matcher[] = [];
  for (const corpus of corpora) matchers.push(await openMatcher(corpus));
  const choices: Choice[] = [];
  for (const probe of probes) choices.push(await timeChoices(matchers, probe, count));
  return { choices, reads: await countReads(matchers.at(-1) as Matcher, probes) };
}
