import { perObject } from "#lib/platform/per-object";
import { similarFinder } from "#lib/platform/similar-texts";
import type { ModelCatalogue } from "./catalogue";
import { caveatOf, keyOf, namesOwner } from "./model-names";
import type { Model, ModelAnswer } from "./schemas";

/** Returns the model of a provider by its id, or an alias or other spelling of it, also after `provider/`. */
export function findOf(catalogue: ModelCatalogue, name: string, id: string): Model | undefined {
  const provider = name.toLowerCase();
  const own = id.toLowerCase().startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
  return catalogue.get(provider, id) ?? catalogue.get(provider, own) ?? catalogue.names.find(own, "", provider);
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

const textsOf = ({ id, name, aliases }: Model) => [id, name, ...aliases];
const searchByName = perObject((models: readonly Model[]) => similarFinder(models, textsOf));
const searchByKey = perObject((models: readonly Model[]) =>
  similarFinder(models, (model) => [keyOf(model), ...textsOf(model)]),
);

/** Returns the models with names near to one, the nearest first: of the provider that it names, else of all. */
export function findSimilarTo(models: readonly Model[], name: string): Model[] {
  const bounds = { limit: maxNearCount, minScore };
  const [provider = "", ...parts] = name.toLowerCase().split("/");
  const isWanted = (model: Model) => model.provider === provider;
  if (!models.some(isWanted)) return searchByKey(models)(name.slice(0, maxComparedLength), bounds);
  // Compared with the name of the provider, all of its models would be similar.
  const id = parts.join("/").slice(0, maxComparedLength);
  const similar = searchByName(models)(id, { ...bounds, isWanted });
  return similar.length > 0 ? similar : searchByName(models)(id, bounds);
}

/** Returns the names of the providers of some models. */
export function providersOf(models: readonly Model[]): string[] {
  return [...new Set(models.map(({ provider }) => provider))];
}

/** The model that a name means; else several that have the name, or the nearest ones. */
type Meant = { model?: Model; several: Model[]; near: Model[] };

/** Returns the model that a name means, in any spelling and after any gateway; `provider` if it is given apart. */
export function findMeant(catalogue: ModelCatalogue, id: string, provider?: string): Meant {
  const name = provider === undefined ? id : `${provider.toLowerCase()}/${id}`;
  const { named, near, hasProvider } = findNamed(catalogue, name);
  const hasId = (model: Model) => [model.id, ...model.aliases].some((own) => own.toLowerCase() === id.toLowerCase());
  const [prefix = ""] = id.split("/");
  const rest = id.slice(prefix.length + 1);
  // What comes before a slash can be a gateway, or a part of the id.
  const others = provider === undefined ? catalogue.names.findAll(id).models : [];
  const meant =
    named.length > 0
      ? named
      : hasProvider
        ? others.filter((each) => hasId(each) || namesOwner(prefix, rest, each))
        : others;
  const [first] = meant;
  const model = first && findOf(catalogue, first.provider, id);
  if (!model) return { several: [], near: meant.length > 0 ? meant : near };
  return provider !== undefined || meant.length === 1 ? { model, several: [], near: [] } : { several: meant, near: [] };
}

function toAnswer(catalogue: ModelCatalogue, name: string): ModelAnswer {
  const { model, several, near } = findMeant(catalogue, name);
  if (model) {
    const { name: _, aliases, released, price, limits, ...summary } = model;
    const caveat = caveatOf(name, model);
    return { name, result: "found", model: summary, ...(caveat && { caveat }) };
  }
  const result = several.length > 0 ? "several" : "unknown";
  return { name, result, model: null, nearest: [...several, ...near].map(keyOf) };
}

/** Returns what each name means, in their order. */
export function answerNames(catalogue: ModelCatalogue, names: readonly string[]): ModelAnswer[] {
  return names.map((name) => toAnswer(catalogue, name));
}
