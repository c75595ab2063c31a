import type { CassetteSummary } from "./describe-cassette";
import type { Lineage } from "./lineage";

type Groups = ReadonlyMap<string, readonly CassetteSummary[]>;

function groupBy(
  summaries: readonly CassetteSummary[],
  keysOf: (summary: CassetteSummary) => readonly (string | null)[],
): Groups {
  const groups = new Map<string, CassetteSummary[]>();
  for (const summary of summaries) {
    for (const key of keysOf(summary)) {
      if (key === null) continue;
      const group = groups.get(key);
      if (group) group.push(summary);
      else groups.set(key, [summary]);
    }
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

function groupByAnswer(summaries: readonly CassetteSummary[]): Groups {
  return groupBy(summaries, ({ provider, lineage }) => lineage.ids.map((id) => idsKey(provider, [id])));
}

type Parents = ReadonlyMap<CassetteSummary, readonly CassetteSummary[]>;

/** Returns the turn before each recording, in its folder: several if their conversations are equal up to there. */
function findParents(
  ordered: readonly CassetteSummary[],
  byAnswer: Groups,
  byId: ReadonlyMap<string, CassetteSummary>,
): Parents {
  const byLeads = groupBy(ordered, ({ lineage }) => [lineage.leads]);
  const parentsOf = ({ provider, vertical, parentId, lineage, match }: CassetteSummary): readonly CassetteSummary[] => {
    const named = parentId === null ? undefined : byId.get(parentId);
    if (named) return [named];
    const inFolder = (found: readonly CassetteSummary[] = []) => found.filter((each) => each.vertical === vertical);
    const byIds = match.answeredIds.flatMap((id) => inFolder(byAnswer.get(idsKey(provider, [id]) ?? "")));
    const key = lineage.answered.findLast((hash) => inFolder(byLeads.get(hash)).length > 0);
    if (key === undefined) return lineage.answered.length === 0 ? byIds : [];
    const byHistory = inFolder(byLeads.get(key));
    const both = byHistory.filter((summary) => byIds.includes(summary));
    return both.length > 0 ? both : byHistory;
  };
  return new Map(ordered.map((summary) => [summary, parentsOf(summary)]));
}

/** Returns the place of each recording in its conversation: 1 for the first recorded turn. */
function countTurns(parents: Parents): ReadonlyMap<CassetteSummary, number> {
  const turns = new Map<CassetteSummary, number>();
  for (const summary of parents.keys()) {
    // From the recording back to one whose place is known. Files may name each other in a circle.
    const path = new Set<CassetteSummary>();
    let next: CassetteSummary | undefined = summary;
    while (next && !turns.has(next) && !path.has(next)) {
      path.add(next);
      next = parents.get(next)?.[0];
    }
    let turn = (next && turns.get(next)) ?? 0;
    for (const each of [...path].reverse()) turns.set(each, ++turn);
  }
  return turns;
}

/** Returns the conversation of each recording, the first turn first: the same array for all of its turns. */
function groupConversations(parents: Parents, turns: ReadonlyMap<CassetteSummary, number>) {
  const children = groupBy([...parents.keys()], (summary) => (parents.get(summary) ?? []).map(({ id }) => id));
  const conversations = new Map<CassetteSummary, readonly CassetteSummary[]>();
  const turnOf = (summary: CassetteSummary) => turns.get(summary) ?? 1;
  for (const summary of parents.keys()) {
    if (conversations.has(summary)) continue;
    const found = new Set([summary]);
    // The set grows while it is visited; a cassette that is there already is not visited again.
    for (const each of found) {
      for (const linked of [...(children.get(each.id) ?? []), ...(parents.get(each) ?? [])]) found.add(linked);
    }
    const conversation = [...found].sort((a, b) => turnOf(a) - turnOf(b) || (a.id < b.id ? -1 : 1));
    for (const each of conversation) conversations.set(each, conversation);
  }
  return conversations;
}

/** Returns a function that makes a value at its first call. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Indexes cassettes by the keys that requests are matched by, without reading their files. Each part is made when it is needed. */
export class MatchIndex {
  readonly #ordered: readonly CassetteSummary[];
  readonly #byId: ReadonlyMap<string, CassetteSummary>;
  readonly #hasRedactions = lazy(() => this.#ordered.some(({ hasRedactions }) => hasRedactions));
  readonly #byHash = lazy(() => {
    const groups = groupBy(this.#ordered, ({ match }) => [match.hash]);
    return new Map([...groups].map(([hash, group]) => [hash, group.toSorted(comparePlayed)]));
  });
  readonly #byAnsweredIds = lazy(() =>
    groupBy(this.#ordered, ({ provider, match }) => [idsKey(provider, match.answeredIds)]),
  );
  readonly #byContinued = lazy(() => groupBy(this.#ordered, ({ lineage }) => [lineage.continued]));
  readonly #byAnswer = lazy(() => groupByAnswer(this.#ordered));
  readonly #parents = lazy(() => findParents(this.#ordered, this.#byAnswer(), this.#byId));
  readonly #turns = lazy(() => countTurns(this.#parents()));
  readonly #conversations = lazy(() => groupConversations(this.#parents(), this.#turns()));

  constructor(summaries: readonly CassetteSummary[]) {
    this.#ordered = summaries.toSorted((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1));
    this.#byId = new Map(this.#ordered.map((summary) => [summary.id, summary]));
  }

  /** Whether a request in the index was redacted. */
  get hasRedactions(): boolean {
    return this.#hasRedactions();
  }

  find(id: string): CassetteSummary | undefined {
    return this.#byId.get(id);
  }

  ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** Returns the recordings of exactly this request, in the order in which they are played. */
  exact(hash: string): readonly CassetteSummary[] {
    return this.#byHash().get(hash) ?? [];
  }

  /** Returns the recordings whose requests continue exactly these responses and tool calls. `ids` are sorted. */
  continuations(provider: string, ids: readonly string[]): readonly CassetteSummary[] {
    return this.#byAnsweredIds().get(idsKey(provider, ids) ?? "") ?? [];
  }

  /** Returns the recordings whose requests continue the same answers with the same words, whatever tools returned. */
  sameWords({ continued }: Lineage): readonly CassetteSummary[] {
    return (continued !== null && this.#byContinued().get(continued)) || [];
  }

  /** Returns the recordings whose answer has this id, or calls a tool with it. */
  withAnswer(provider: string, id: string): readonly CassetteSummary[] {
    return this.#byAnswer().get(idsKey(provider, [id]) ?? "") ?? [];
  }

  /** Returns the place of a cassette in its conversation: 1 for the first recorded turn. */
  turnOf(summary: CassetteSummary): number {
    return this.#turns().get(summary) ?? 1;
  }

  /** Returns the turns after one, of its conversation. */
  after(summary: CassetteSummary): readonly CassetteSummary[] {
    const turn = this.turnOf(summary) + 1;
    return this.conversation(summary.id).filter((each) => this.turnOf(each) === turn);
  }

  /** Returns the turns of the conversation that a cassette belongs to, the first turn first. */
  conversation(id: string): readonly CassetteSummary[] {
    const summary = this.#byId.get(id);
    return (summary && this.#conversations().get(summary)) ?? [];
  }
}
