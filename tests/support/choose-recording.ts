import { type CassetteSummary, type Catalogue, MatchIndex, matchKeyOf } from "#lib/replay/cassettes/index";
import { recordedLineage } from "#lib/replay/cassettes/lineage";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { digestRequest } from "#lib/replay/playback/read-request";
import type { Provider } from "#lib/replay/providers/index";
import type { Json } from "./conversation-protocols";

function requestOf(provider: Provider, body: Json) {
  return { method: "POST", ...provider.upstream.pathOf(body, { model: "m-1", isStream: true }), body };
}

/** Returns what the catalogue knows of a recording, as far as requests are matched by it. */
export function matchedSummary(
  provider: Provider,
  { id, body, answer, ...others }: { id: string; body: Json; answer?: Json } & Partial<CassetteSummary>,
): CassetteSummary {
  const request = requestOf(provider, body);
  return {
    id,
    vertical: id.split("/")[0],
    provider: provider.name,
    provenance: { kind: "recorded", recorded_at: "2026-01-01T00:00:00Z" },
    end: "complete",
    prompt: provider.readQuestion(request).prompt,
    match: matchKeyOf(provider, { ...request, body: { json: body } }),
    lineage: recordedLineage(provider, { ...request, parent: undefined }, answer ? provider.readAnswer(answer) : null),
    parentId: null,
    sequence: 1,
    hasRedactions: false,
    ...others,
  } as CassetteSummary;
}

type Asked = {
  body: Json;
  /** The cassette that the request names as its model. */
  name?: string | undefined;
  /** Whether it asks for the last turn again. */
  repeatsEnd?: boolean;
  /** Ids of the site's cassettes with similar prompts, and how similar they are. */
  near?: readonly [id: string, similarity: number][];
};

/** Returns the recording that a request gets. Throws AppError. */
export function choose(
  provider: Provider,
  recorded: readonly CassetteSummary[],
  { body, name, repeatsEnd = false, near = [] }: Asked,
) {
  const index = new MatchIndex(recorded);
  const context = {
    catalogue: { matchIndex: async () => index } as unknown as Catalogue,
    nearestCassettes: async () => near.map(([id, similarity]) => ({ summary: { id } as CassetteSummary, similarity })),
  };
  const named = name === undefined ? null : { id: name, place: "model", repeatsEnd };
  return chooseCassette(context, { provider, request: digestRequest(provider, requestOf(provider, body)), named });
}
