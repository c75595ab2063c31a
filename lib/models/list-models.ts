import type * as z from "zod";
import { AppError } from "#lib/platform/errors";
import { databaseOf } from "#lib/platform/refreshed";
import { findSimilar } from "#lib/platform/similar-texts";
import { dayOf, type ModelCatalogue } from "./catalogue";
import { namesOf } from "./compare-models";
import { currentModels, type ModelsContext } from "./current-models";
import type { modelQuerySchema } from "./endpoints";
import type { Model, ModelChangeItem, ModelDetail, ModelList } from "./schemas";
import { findChangesOf, type ModelChangeRow } from "./store";

export type ModelFilters = z.output<typeof modelQuerySchema>;

/** Returns models in their order, but first those of which a text is an id or alias, with or without the provider. */
export function namedFirst(models: Model[], text: string | undefined): Model[] {
  const name = text?.trim().toLowerCase();
  if (!name) return models;
  const isNamed = ({ provider, id, aliases }: Model) =>
    [id, ...aliases].some((each) => [each, `${provider}/${each}`].some((known) => known.toLowerCase() === name));
  return [...models.filter(isNamed), ...models.filter((model) => !isNamed(model))];
}

/** Those whose end is set come first, the next one before the others; then those that may end, by their earliest day. */
function byEnd(a: Model, b: Model): number {
  const dayOf = ({ retired, retired_not_before: notBefore }: Model) => retired ?? `later ${notBefore}`;
  return dayOf(a) < dayOf(b) ? -1 : dayOf(a) > dayOf(b) ? 1 : 0;
}

/**
 * Returns the models that match every filter, those that `q` names first, and else by provider and id, or by end if that is
 * filtered. `q` is a part of an id, alias or name, or another spelling of one. If it matches none, `similar` has the nearest.
 * Throws AppError bad_request for an unknown provider.
 */
export async function listModels(context: ModelsContext, { query }: { query: ModelFilters }): Promise<ModelList> {
  const { models, read, names } = await currentModels(context);
  const { q = "", status, ends, ends_by: endsBy } = query;
  const provider = query.provider?.toLowerCase();
  const providers = providersOf(models);
  if (provider !== undefined && !providers.includes(provider)) {
    const near = findSimilar(providers, provider, { textsOf: (each) => [each], limit: 1 });
    const nearest = near.length > 0 ? ` Nearest: ${near.join(", ")}.` : "";
    throw new AppError("bad_request", `No model of a provider ${query.provider} is known.${nearest}`);
  }
  const words = q.toLowerCase().split(/\s+/);
  const named = new Set(q === "" ? [] : names.findAll(q).models);
  const endsInTime = ({ retired, retired_not_before: notBefore, status: known }: Model, last: string) => {
    if (known === "retired" && status !== "retired") return false;
    const first = retired ?? (known === "retired" ? null : notBefore);
    return first !== null && first <= last;
  };
  const selected = models.filter(
    (model) =>
      (provider === undefined || model.provider === provider) &&
      (status === undefined || model.status === status) &&
      (ends === undefined || model.retired === ends) &&
      (endsBy === undefined || endsInTime(model, endsBy)),
  );
  if (endsBy !== undefined) selected.sort(byEnd);
  const matching = selected.filter((model) => {
    const text = [model.provider, model.id, model.name, ...model.aliases].join(" ").toLowerCase();
    return named.has(model) || words.every((word) => text.includes(word));
  });
  const found = namedFirst(matching, q);
  const similar = found.length === 0 ? findSimilarTo(selected, q).map(({ provider, id }) => `${provider}/${id}`) : [];
  return { read, count: found.length, models: found, ...(similar.length > 0 && { similar }) };
}

/** Returns a stored change of a model in API form. */
export function toModelChange(row: ModelChangeRow): ModelChangeItem {
  const { provider, model: id, field, before, after, significance, source, diffId: diff_id } = row;
  return { provider, id, field, before, after, significance, at: row.createdAt.toISOString(), source, diff_id };
}

/** Most changes in the history of a model. */
const maxHistoryLength = 100;

/** Returns the newest changes of a model; none if no database answers. */
async function readHistory(context: ModelsContext, model: Model): Promise<ModelChangeItem[]> {
  const database = databaseOf(context);
  if (!database) return [];
  const names = namesOf([model]).filter((name) => name.startsWith(`${model.provider.toLowerCase()}/`));
  try {
    return (await findChangesOf(database, names, maxHistoryLength)).map(toModelChange);
  } catch (error) {
    context.log?.warn({ err: error }, "could not read the history of a model");
    return [];
  }
}

/** Returns the model of a provider by its id, or an alias or other spelling of it, also after `provider/`. */
export function findOf(catalogue: ModelCatalogue, name: string, id: string): Model | undefined {
  const provider = name.toLowerCase();
  const own = id.toLowerCase().startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
  return catalogue.get(provider, id) ?? catalogue.get(provider, own) ?? catalogue.names.find(own, "", provider);
}

/**
 * Returns the model of a provider by its id, or an alias or other spelling of it, with its history. Throws AppError
 * not_found.
 */
export async function getModel(
  context: ModelsContext,
  { params: { provider, id } }: { params: { provider: string; id: string } },
): Promise<ModelDetail> {
  const catalogue = await currentModels(context);
  const model = findOf(catalogue, provider, id);
  if (model) return { ...model, history: await readHistory(context, model) };
  const near = findSimilarTo(catalogue.models, `${provider}/${id}`).map((each) => `${each.provider}/${each.id}`);
  const nearest = near.length > 0 ? ` Nearest: ${near.join(", ")}.` : "";
  const message = `${provider} has no model ${id} that is known.${nearest} GET /api/v1/models lists all.`;
  throw new AppError("not_found", message);
}

const maxNearCount = 5;
/** How similar a name must be to be near, from 0 to 1. */
const minScore = 0.5;
/** Longest part of an unknown name that is compared, in characters. */
const maxComparedLength = 200;

export type NamedModels = {
  /** Those that have the name. */
  named: Model[];
  /** If not exactly one has it: the nearest ones, with those. */
  near: Model[];
  /** Whether the name begins with a provider that is known. */
  hasProvider: boolean;
};

/** What comes before the first slash of a name without a provider, as Gemini and Fireworks write it. */
const pathPrefixes = ["models", "accounts"];

/**
 * Returns the models that a name means, with or without a provider: of ids, aliases, dated versions and other spellings. A
 * provider that is not known has none.
 */
export function findNamed(catalogue: ModelCatalogue, name: string): NamedModels {
  const { models, names } = catalogue;
  const [, prefix = "", id = ""] = /^([^/]*)\/(.*)$/.exec(name) ?? [];
  const provider = prefix.toLowerCase();
  const exact = catalogue.get(provider, id);
  if (exact) return { named: [exact], near: [], hasProvider: true };
  const hasProvider = providersOf(models).includes(provider);
  const isUnknownProvider = prefix !== "" && !hasProvider && !pathPrefixes.includes(provider);
  const found = hasProvider ? names.findAll(id, provider).models : names.findAll(name).models;
  const ofProvider = hasProvider ? names.findAll(id, "", provider).models : found;
  const named = isUnknownProvider ? [] : ofProvider;
  if (named.length === 1) return { named, near: [], hasProvider };
  const near = [...new Set([...found, ...findSimilarTo(models, name)])].slice(0, maxNearCount);
  return { named, near, hasProvider };
}

/** Returns the models with names near to one, the nearest first: of the provider that it names, else of all. */
function findSimilarTo(models: readonly Model[], name: string): Model[] {
  const search = (among: readonly Model[], text: string, textsOf: (model: Model) => string[]) =>
    findSimilar(among, text.slice(0, maxComparedLength), { textsOf, limit: maxNearCount, minScore });
  const textsOf = ({ id, name, aliases }: Model) => [id, name, ...aliases];
  const [provider = "", ...parts] = name.toLowerCase().split("/");
  const own = models.filter((model) => model.provider === provider);
  if (own.length === 0) return search(models, name, (model) => [`${model.provider}/${model.id}`, ...textsOf(model)]);
  // Compared with the name of the provider, all of its models would be similar.
  const id = parts.join("/");
  const similar = search(own, id, textsOf);
  return similar.length > 0 ? similar : search(models, id, textsOf);
}

/** Returns the names of the providers of some models. */
export function providersOf(models: readonly Model[]): string[] {
  return [...new Set(models.map(({ provider }) => provider))];
}

/** Returns the path of a model's page. */
export function modelPath({ provider, id }: Pick<Model, "provider" | "id">): string {
  return `/models/${[provider, ...id.split("/")].map(encodeURIComponent).join("/")}`;
}

/** Returns the days after `now` on which models of a catalogue end, with these models, the next first. */
export function nextEnds({ models }: Pick<ModelCatalogue, "models">, now: Date): { day: string; models: Model[] }[] {
  const ends = new Map<string, Model[]>();
  for (const model of models) {
    if (model.retired === null || model.retired <= dayOf(now)) continue;
    ends.set(model.retired, [...(ends.get(model.retired) ?? []), model]);
  }
  return [...ends].map(([day, models]) => ({ day, models })).sort((a, b) => (a.day < b.day ? -1 : 1));
}
