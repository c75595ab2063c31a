import { AppError } from "#lib/platform/errors";
import {
  type CassetteSummary,
  type Catalogue,
  cassettesOfSite,
  isFirstTurn,
  replayUrl,
  type Vertical,
} from "#lib/replay/cassettes/index";
import { anthropic, eventStreamType } from "#lib/replay/providers/index";
import { cassettePrefix } from "./drop-in";
import type { ReplayDiscovery } from "./schemas";

function toAnthropicList(summaries: readonly CassetteSummary[]) {
  const data = summaries.map(({ id, title, provenance }) => ({
    type: "model",
    id: `${cassettePrefix}${id}`,
    display_name: title,
    created_at: provenance.recorded_at,
  }));
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function toOpenaiList(summaries: readonly CassetteSummary[]) {
  const data = summaries.map(({ id, provenance }) => ({
    id: `${cassettePrefix}${id}`,
    object: "model",
    created: Math.floor(Date.parse(provenance.recorded_at) / 1000),
    owned_by: "tapedeck",
  }));
  return { object: "list", data };
}

/**
 * Returns the site's cassettes as models. To Anthropic clients, which send `anthropic-version`, the Anthropic cassettes in
 * their format; to others, the OpenAI ones.
 */
export async function listModels(context: Omit<SiteContext, "origin">, header: (name: string) => string | null) {
  const summaries = (await cassettesOfSite(context)).filter(({ match }) => isFirstTurn(match));
  if (header("anthropic-version") === null)
    return toOpenaiList(summaries.filter(({ provider }) => provider.startsWith("openai-")));
  return toAnthropicList(summaries.filter(({ provider }) => provider === anthropic.name));
}

type SiteContext = { catalogue: Catalogue; origin: string; site: { vertical: Vertical } };

/** Returns the replay discovery document; its example is the site's first cassette. */
export async function discoverReplay(context: SiteContext): Promise<ReplayDiscovery> {
  const { origin } = context;
  const [first] = await cassettesOfSite(context);
  const random_url = `${origin}/api/v1/replay/random`;
  return {
    endpoint_pattern: `${origin}/api/v1/replay/{vertical}/{cookbook}`,
    example: first ? replayUrl(origin, first.id) : random_url,
    cassettes_listing: `${origin}/api/v1/cassettes`,
    random_url,
    openapi: `${origin}/openapi.json`,
    methods: ["GET", "HEAD"],
    auth: "none",
    tokens_per_replay: 0,
    response_content_type: eventStreamType,
  };
}

/** Returns the replay URL of a random cassette of the site. Throws AppError `not_found` if the site has none. */
export async function pickRandomReplay(context: SiteContext, random: () => number = Math.random): Promise<string> {
  const cassettes = await cassettesOfSite(context);
  const picked = cassettes[Math.floor(random() * cassettes.length)];
  if (!picked) {
    throw new AppError("not_found", "This site has no cassettes yet. GET /api/v1/fleet lists its sibling sites.");
  }
  return replayUrl(context.origin, picked.id);
}
