import type { Clock } from "#lib/platform/clock";
import { AppError } from "#lib/platform/errors";
import { bundledModels, dayOf } from "./catalogue";
import type { Model, ModelList, ModelStatus } from "./schemas";

export type ModelsContext = { clock: Clock };
export type ModelFilters = { q?: string; provider?: string; status?: ModelStatus };

/** Returns the models that match every filter, by provider and id. `q` is a part of an id, alias or name. */
export function listModels({ clock }: ModelsContext, { query }: { query: ModelFilters }): ModelList {
  const { models, read } = bundledModels(clock.now());
  const { q = "", provider, status } = query;
  const words = q.toLowerCase().split(/\s+/);
  const found = models.filter((model) => {
    const text = [model.provider, model.id, model.name, ...model.aliases].join(" ").toLowerCase();
    return (
      (provider === undefined || model.provider === provider) &&
      (status === undefined || model.status === status) &&
      words.every((word) => text.includes(word))
    );
  });
  return { read, count: found.length, models: found };
}

/** Returns the model of a provider by its id, or an alias or other spelling of it. Throws AppError not_found. */
export function getModel({ clock }: ModelsContext, { params }: { params: { provider: string; id: string } }): Model {
  const { provider, id } = params;
  const catalogue = bundledModels(clock.now());
  const model = catalogue.get(provider, id) ?? catalogue.names.find(`${provider}/${id}`);
  if (model?.provider === provider) return model;
  throw new AppError(
    "not_found",
    `${provider} has no model ${id} that is known. GET /api/v1/models lists those that are.`,
  );
}

/** Returns the names of all providers. */
export function listModelProviders({ clock }: ModelsContext): string[] {
  return [...new Set(bundledModels(clock.now()).models.map(({ provider }) => provider))];
}

/** Returns the path of a model's page. */
export function modelPath({ provider, id }: Pick<Model, "provider" | "id">): string {
  return `/models/${[provider, ...id.split("/")].map(encodeURIComponent).join("/")}`;
}

/** Returns the days on which models end from now on, with these models, the next first. */
export function listNextEnds({ clock }: ModelsContext): { day: string; models: Model[] }[] {
  const now = clock.now();
  const ends = new Map<string, Model[]>();
  for (const model of bundledModels(now).models) {
    if (model.retired === null || model.retired <= dayOf(now)) continue;
    ends.set(model.retired, [...(ends.get(model.retired) ?? []), model]);
  }
  return [...ends].map(([day, models]) => ({ day, models })).sort((a, b) => (a.day < b.day ? -1 : 1));
}
