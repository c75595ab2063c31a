import type { CassetteSummary } from "./describe-cassette";

function groupBy(summaries: readonly CassetteSummary[], keyOf: (summary: CassetteSummary) => string | null) {
  const groups = new Map<string, CassetteSummary[]>();
  for (const summary of summaries) {
    const key = keyOf(summary);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(summary);
    else groups.set(key, [summary]);
  }
  return groups;
}

function idsKey(provider: string, ids: readonly string[]): string | null {
  return ids.length === 0 ? null : JSON.stringify([provider, ...ids]);
}

/** The order in which recordings of one request are played: by their sequence, then whole answers before cut ones, then the newest. */
function comparePlayed(a: CassetteSummary, b: CassetteSummary): number {
  const isCut = ({ end }: CassetteSummary) => Number(end === "truncated");
  const [before, after] = [a.provenance.recorded_at, b.provenance.recorded_at];
  return a.sequence - b.sequence || isCut(a) - isCut(b) || Date.parse(after) - Date.parse(before);
}

/** Indexes cassettes by the keys that requests are matched by, without reading their files. */
export class MatchIndex {
  /** Whether a request in the index was redacted. */
  readonly hasRedactions: boolean;
  readonly #byHash: Map<string, CassetteSummary[]>;
  readonly #byAnsweredIds: Map<string, CassetteSummary[]>;
  readonly #byParent: Map<string, CassetteSummary[]>;
  readonly #byId: Map<string, CassetteSummary>;

  constructor(summaries: readonly CassetteSummary[]) {
    const ordered = [...summaries].sort((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1));
    this.#byId = new Map(ordered.map((summary) => [summary.id, summary]));
    this.#byHash = groupBy(ordered.toSorted(comparePlayed), ({ match }) => match.hash);
    this.#byAnsweredIds = groupBy(ordered, ({ provider, match }) => idsKey(provider, match.answeredIds));
    this.hasRedactions = ordered.some(({ hasRedactions }) => hasRedactions);
    this.#byParent = groupBy(ordered, ({ parentId }) => parentId);
  }

  find(id: string): CassetteSummary | undefined {
    return this.#byId.get(id);
  }

  /** Returns the ids of all cassettes. */
  ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** Returns the recordings of exactly this request, in the order in which they are played. */
  exact(hash: string): readonly CassetteSummary[] {
    return this.#byHash.get(hash) ?? [];
  }

  /** Returns the recordings whose requests continue exactly these responses and tool calls. `ids` are sorted. */
  continuations(provider: string, ids: readonly string[]): readonly CassetteSummary[] {
    const key = idsKey(provider, ids);
    return (key !== null && this.#byAnsweredIds.get(key)) || [];
  }

  /** Returns the cassettes of the conversation that starts with this one, itself first. */
  conversation(id: string): CassetteSummary[] {
    const first = this.#byId.get(id);
    const found = new Set(first ? [first] : []);
    // The set grows while it is visited; a cassette that is there already is not visited again.
    for (const turn of found) for (const next of this.#byParent.get(turn.id) ?? []) found.add(next);
    return [...found];
  }
}
