import { type CassetteSummary, cassettesOfSite, isFirstTurn, type Vertical } from "#lib/replay/cassettes/index";
import { anthropic } from "#lib/replay/providers/index";
import { cassettePrefix } from "./drop-in";

type SiteContext = Parameters<typeof cassettesOfSite>[0] & { site: { vertical: Vertical } };

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
export async function listModels(context: SiteContext, header: (name: string) => string | null) {
  const summaries = (await cassettesOfSite(context)).filter(({ match }) => isFirstTurn(match));
  if (header("anthropic-version") === null)
    return toOpenaiList(summaries.filter(({ provider }) => provider.startsWith("openai-")));
  return toAnthropicList(summaries.filter(({ provider }) => provider === anthropic.name));
}
