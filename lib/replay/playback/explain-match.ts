import { checkBody } from "#lib/contract/parse-body";
import { AppError } from "#lib/platform/errors";
import { describeDifference, findDifferences } from "#lib/platform/json-difference";
import { withoutPointers } from "#lib/platform/json-pointer";
import {
  type CassetteSummary,
  type Catalogue,
  isFileShared,
  joinParent,
  objectOf,
  parseCassette,
  type VerifiedCassette,
} from "#lib/replay/cassettes/index";
import { type Provider, providersOf, requireProvider } from "#lib/replay/providers/index";
import { chooseCassette, type DropInContext, hasModel } from "./choose-cassette";
import { checkOperation, findNamed, lastName } from "./drop-in";
import { dropInEndpoints } from "./drop-in-endpoints";
import { type DropInRequest, digestRequest } from "./read-request";
import { type MatchAnswer, type MatchRequest, maxDifferenceCount, maxNearestCount } from "./schemas";

/** Most turns of a conversation whose files are read to complete a request. */
const maxTurnCount = 100;

type Cassette = VerifiedCassette["cassette"];

async function readCassette(catalogue: Catalogue, id: string): Promise<Cassette | null> {
  const bytes = await catalogue.file(id);
  return bytes ? parseCassette(bytes).cassette : null;
}

/** Returns the complete body of a recorded request; null if it has no JSON object or a turn before it is missing. */
async function completeBody(
  catalogue: Catalogue,
  { request }: Cassette,
  depth = 0,
): Promise<Record<string, unknown> | null> {
  if (!request.parent) return objectOf(request.body);
  if (depth >= maxTurnCount) return null;
  const parent = await readCassette(catalogue, request.parent.id);
  return joinParent(request, parent && (await completeBody(catalogue, parent, depth + 1)));
}

type Asked = { provider: Provider; body: Record<string, unknown> };

/** Returns the recorded model as a difference, if that is why a recording does not answer the request. */
function compareModels(summary: CassetteSummary, { key }: DropInRequest): string[] {
  return hasModel(summary, key)
    ? []
    : [`model was ${JSON.stringify(summary.match.model)} and is now ${JSON.stringify(key.model)}`];
}

async function compare({ catalogue }: DropInContext, { provider, body }: Asked, { id, title }: CassetteSummary) {
  const cassette = await readCassette(catalogue, id);
  const recorded = cassette && (await completeBody(catalogue, cassette));
  if (!cassette || !recorded) return [];
  const ignored = [...provider.volatileFields, ...provider.choiceFields];
  const differences = findDifferences(withoutPointers(recorded, ignored), withoutPointers(body, ignored));
  const isShared = isFileShared(cassette);
  const described = differences
    .slice(0, maxDifferenceCount)
    .map((difference) => (isShared ? describeDifference(difference) : `${difference.pointer || "the body"} differs`));
  return [{ id, title, difference_count: differences.length, differences: described }];
}

/** Throws AppError bad_request for a body that the endpoint refuses. Other paths that clients use end as its own does. */
function checkBodyAt(provider: Provider, path: string, body: unknown): void {
  const endpoint = dropInEndpoints.find(
    ({ errorShape, ...declared }) =>
      errorShape === provider.name && (provider.name === "http" || lastName(declared.path) === lastName(path)),
  );
  if (endpoint?.body) checkBody(endpoint.body, body);
}

/**
 * Returns which cassette a request to a drop-in endpoint gets, how it is chosen, and the recordings that come nearest with
 * their differences. Plays and counts nothing. Throws AppError bad_request for a path of no protocol.
 */
export async function explainMatch(
  context: DropInContext,
  { path, headers, body }: MatchRequest,
): Promise<MatchAnswer> {
  const { pathname, search } = new URL(path, "http://localhost");
  const place = { method: "POST", path: pathname, query: search.slice(1) };
  const found = providersOf(place).find(({ operation }) => operation !== "other")?.provider;
  // Calls of Amazon Bedrock are recorded as plain HTTP.
  const provider = found ?? (pathname.startsWith("/model/") ? requireProvider("http") : undefined);
  if (!provider)
    throw new AppError(
      "bad_request",
      `path: ${pathname.slice(0, 200)} is no path of a protocol that is replayed here.`,
    );
  const request = digestRequest(provider, { ...place, body });
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const named = findNamed({ request, path: pathname, header: (name) => given.get(name) ?? null });
  const choose = async () => {
    checkBodyAt(provider, pathname, body);
    const chosen = await chooseCassette(context, { provider, request, named });
    await checkOperation(context, chosen, { provider, request, path: pathname });
    return chosen;
  };
  const choice = await choose().catch((error: unknown) => {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  });
  const index = await context.catalogue.matchIndex();
  const isChosen = !(choice instanceof AppError);
  const similar = await context.nearestCassettes({
    prompt: request.prompt,
    provider: provider.name,
    limit: maxNearestCount,
  });
  const turns = named && index.find(named.id) ? index.conversation(named.id) : [];
  const candidates = [
    ...(isChosen ? [index.find(choice.id)] : []),
    ...index.exact(request.key.hash),
    ...index.sameWords(request.lineage()),
    ...turns.filter(({ match }) => match.answers === request.key.answers),
    ...similar.map(({ summary }) => summary),
  ];
  const compared = [...new Set(candidates)].slice(0, maxNearestCount);
  const nearest = await Promise.all(
    compared.map(async (summary) => {
      if (!summary) return [];
      const models = isChosen || named ? [] : compareModels(summary, request);
      const found = await compare(context, { provider, body }, summary);
      return found.map(({ difference_count: count, differences, ...rest }) => ({
        ...rest,
        difference_count: count + models.length,
        differences: [...models, ...differences].slice(0, maxDifferenceCount),
      }));
    }),
  );
  return {
    cassette: isChosen ? choice.id : null,
    match: isChosen ? choice.match : null,
    error: isChosen ? null : { status: choice.status, message: choice.message },
    nearest: nearest.flat(),
  };
}
