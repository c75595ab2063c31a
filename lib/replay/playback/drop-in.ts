import { AppError } from "#lib/platform/errors";
import { cassettesOfSite, type Recording, type Vertical } from "#lib/replay/cassettes/index";
import { anthropic, type Provider, type ProviderRequest } from "#lib/replay/providers/index";
import { openAnswer } from "./answer-form";
import { chooseCassette, type DropInContext, type Named } from "./choose-cassette";
import { type Replay, requireRecording } from "./open-replay";
import { speedSchema } from "./schemas";

const prefix = "cassette:";

type Header = (name: string) => string | null;
type DropInInput = {
  provider: Provider;
  request: ProviderRequest;
  /** From the query; the header `x-replay-speed` replaces it. */
  speed?: number;
  header: Header;
  requestId: string;
};

function afterPrefix(text: string | null | undefined): string | undefined {
  return text?.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}

/** Returns the cassette that a client names: as the model, in a header, or as its API key where it can set nothing else. */
function findNamed({ provider, request, header }: DropInInput): Named | null {
  const model = afterPrefix(provider.readQuestion(request).model);
  if (model !== undefined) return { id: model, place: "model" };
  const named = header("x-replay-cassette");
  if (named) return { id: named, place: "x-replay-cassette" };
  const bearer = header("authorization")?.replace(/^bearer +/i, "");
  const query = new URLSearchParams(request.query).get("key");
  const [id] = [bearer, header("x-api-key"), header("x-goog-api-key"), query].flatMap((key) => afterPrefix(key) ?? []);
  return id === undefined ? null : { id, place: "API key" };
}

function speedOf({ speed = 1, header }: DropInInput): number {
  const text = header("x-replay-speed");
  if (text === null) return speed;
  const result = speedSchema.safeParse(text);
  if (result.success) return result.data;
  throw new AppError("bad_request", `The header x-replay-speed ${result.error.issues[0]?.message}.`);
}

/** Returns the recorded headers that the provider's clients read, and the id of the request in any case. */
function providerHeaders({ headers, provider }: Recording, requestId: string): Record<string, string> {
  const isKept = (name: string) =>
    name !== "content-type" &&
    provider.keptHeaders.some((kept) => (kept.endsWith("*") ? name.startsWith(kept.slice(0, -1)) : name === kept));
  const recorded = Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
  return { [provider.requestIdHeader]: `req_${requestId.replaceAll("-", "")}`, ...recorded };
}

/**
 * Returns the replay for a request in a provider's protocol, in the form that the request wants. `X-Replay-Match` says how
 * the cassette was chosen. An error response is returned as it is. Throws AppError.
 */
export async function replayAnswer(context: DropInContext, input: DropInInput): Promise<Replay> {
  const { provider, request } = input;
  const speed = speedOf(input);
  const { id, match } = await chooseCassette(context, { provider, request, named: findNamed(input) });
  const recording = await requireRecording(context, id);
  const replay = openAnswer(recording, { form: provider.formOf(request), speed });
  const headers = { ...providerHeaders(recording, input.requestId), ...replay.headers, "X-Replay-Match": match };
  return { ...replay, headers };
}

/** Characters per token, roughly, in English text. */
const charactersPerToken = 4;

/**
 * Returns the token count of a Messages request: the recorded one of exactly this request, else an estimate from its
 * length.
 */
export async function countTokens(
  context: DropInContext,
  input: DropInInput,
): Promise<{ replay: Replay } | { input_tokens: number }> {
  try {
    return { replay: await replayAnswer(context, input) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    const { messages, system, tools } = input.request.body ?? {};
    return { input_tokens: Math.ceil(JSON.stringify([messages, system, tools]).length / charactersPerToken) };
  }
}

type SiteContext = Parameters<typeof cassettesOfSite>[0] & { site: { vertical: Vertical } };

/** Returns the site's cassettes as models: those of Anthropic in its format for its clients, else those of OpenAI. */
export async function listModels(context: SiteContext, header: Header): Promise<{ data: Record<string, unknown>[] }> {
  const forAnthropic = header("anthropic-version") !== null;
  const summaries = await cassettesOfSite(context);
  const listed = summaries.filter(({ provider, parentId }) => {
    return parentId === null && (forAnthropic ? provider === anthropic.name : provider.startsWith("openai-"));
  });
  if (!forAnthropic) {
    const data = listed.map(({ id, provenance }) => ({
      id: `${prefix}${id}`,
      object: "model",
      created: Math.floor(Date.parse(provenance.recorded_at) / 1000),
      owned_by: "tapedeck",
    }));
    return { object: "list", data } as { data: Record<string, unknown>[] };
  }
  const data = listed.map(({ id, title, provenance }) => ({
    type: "model",
    id: `${prefix}${id}`,
    display_name: title,
    created_at: provenance.recorded_at,
  }));
  return {
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  } as { data: Record<string, unknown>[] };
}
