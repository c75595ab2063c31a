import type * as z from "zod";
import { AppError } from "#lib/platform/errors";
import { databaseOf } from "#lib/platform/refreshed";
import { findSimilar } from "#lib/platform/similar-texts";
import { ageWarning, dayOf, type ModelCatalogue } from "./catalogue";
import { namesOf } from "./compare-models";
import { currentModels, type ModelsContext } from "./current-models";
import type { modelQuerySchema } from "./endpoints";
import { caveatOf, keyOf } from "./model-names";
import { answerNames, findOf, findSimilarTo, providersOf } from "./named-models";
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

/** Returns when the sources of a catalogue were read, with a warning if that is long ago. */
export function readOf(catalogue: ModelCatalogue, { clock }: ModelsContext): Pick<ModelList, "read" | "age_warning"> {
  const warning = ageWarning(catalogue, clock.now());
  return { read: catalogue.read, ...(warning && { age_warning: warning }) };
}

/** Returns the caveat of a model that was found by a name, if there is one. */
export function caveatFor(name: string, model: Model): Pick<ModelDetail, "caveat"> {
  const caveat = caveatOf(name, model);
  return caveat ? { caveat } : {};
}

/** Those whose end is set come first, the next one before the others; then those that may end, by their earliest day. */
function byEnd(a: Model, b: Model): number {
  const dayOf = ({ retired, retired_not_before: notBefore }: Model) => retired ?? `later ${notBefore}`;
  return dayOf(a) < dayOf(b) ? -1 : dayOf(a) > dayOf(b) ? 1 : 0;
}

/** Returns the names of a list, which commas separate. */
export const readNames = (list = ""): string[] => list.split(",").flatMap((name) => name.trim() || []);

/**
 * Returns the models that match every filter, those that `q` names first, and else by provider and id, or by end if that is
 * filtered. `q` is a part of an id, alias or name, or another spelling of one. If it matches none, `similar` has the nearest.
 * `models` has names, which `answers` has too, found or not. Throws AppError bad_request for an unknown provider.
 */
export async function listModels(context: ModelsContext, { query }: { query: ModelFilters }): Promise<ModelList> {
  const catalogue = await currentModels(context);
  const { models, names } = catalogue;
  const { q = "", status, ends, ends_by: endsBy } = query;
  const provider = query.provider?.toLowerCase();
  const providers = providersOf(models);
  if (provider !== undefined && !providers.includes(provider)) {
    const near = findSimilar(providers, provider, { textsOf: (each) => [each], limit: 1 });
    const nearest = near.length > 0 ? ` Nearest: ${near.join(", ")}.` : "";
    throw new AppError("bad_request", `No model of a provider ${query.provider} is known.${nearest}`);
  }
  const answers = query.models === undefined ? undefined : answerNames(catalogue, readNames(query.models));
  const answered = new Set(answers?.flatMap(({ model }) => (model ? keyOf(model) : [])));
  const words = q.toLowerCase().split(/\s+/);
  const named = new Set(q === "" ? [] : names.findAll(q).models);
  const endsInTime = ({ retired, retired_not_before: notBefore, status: known }: Model, last: string) => {
    if (known === "retired" && status !== "retired") return false;
    const first = retired ?? (known === "retired" ? null : notBefore);
    return first !== null && first <= last;
  };
  const selected = models.filter(
    (model) =>
      (answers === undefined || answered.has(keyOf(model))) &&
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
  const similar = found.length === 0 ? findSimilarTo(selected, q).map(keyOf) : [];
  const first = found.find((model) => named.has(model));
  return {
    ...readOf(catalogue, context),
    ...(first && caveatFor(q, first)),
    count: found.length,
    models: found,
    ...(answers && { answers }),
    ...(similar.length > 0 && { similar }),
  };
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
  if (model)
    return {
      ...model,
      ...caveatFor(id, model),
      ...readOf(catalogue, context),
      history: await readHistory(context, model),
    };
  const near = findSimilarTo(catalogue.models, `${provider}/${id}`).map(keyOf);
  const nearest = near.length > 0 ? ` Nearest: ${near.join(", ")}.` : "";
  const message = `${provider} has no model ${id} that is known.${nearest} GET /api/v1/models lists all.`;
  throw new AppError("not_found", message);
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
