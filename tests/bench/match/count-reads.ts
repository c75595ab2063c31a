import { join } from "node:path";
import { findNearestCassettes } from "#lib/discovery/search/index";
import { systemClock } from "#lib/platform/clock";
import { log } from "#lib/platform/log";
import { Catalogue } from "#lib/replay/cassettes/catalogue";
import { folderStore } from "#lib/replay/cassettes/stores/folder-store";
import { replayAnswer } from "#lib/replay/playback/index";
import { anthropic } from "#lib/replay/providers/index";
import { sites } from "#lib/replay/sites/index";
import type { Corpus } from "./corpus";
import type { Probe } from "./probes";

/** What a request read from the store, and what it played; null for a miss. */
export type Reads = { kind: string; read: string[]; played: string | null };

/** Sends each request to the code behind the endpoint, with no recording kept in memory; returns the files that it reads. */
export async function countReads({ folder }: Corpus, probes: readonly Probe[]): Promise<Reads[]> {
  const { list, read } = folderStore(join(folder));
  let ids: string[] = [];
  const store = {
    kind: "folder" as const,
    list,
    read: (id: string) => {
      ids.push(id);
      return read(id);
    },
  };
  const { monotonicMs } = systemClock;
  const options = { store, log: log(), monotonicMs, maxAgeMs: Number.POSITIVE_INFINITY, maxCachedByteSize: 1 };
  const catalogue = new Catalogue(options);
  const [site] = sites;
  const context = {
    catalogue,
    nearestCassettes: (input: Parameters<typeof findNearestCassettes>[1]) =>
      findNearestCassettes({ catalogue, site }, input),
  };
  await catalogue.matchIndex();
  const results: Reads[] = [];
  for (const { kind, body } of probes) {
    ids = [];
    const request = { method: "POST", path: "/v1/messages", query: "", body };
    const input = { provider: anthropic, request, header: () => null, requestId: "bench" };
    const played = await replayAnswer(context, input).then(
      ({ headers }) => headers["X-Replay-Cassette"] ?? null,
      () => null,
    );
    results.push({ kind, read: ids, played });
  }
  return results;
}
